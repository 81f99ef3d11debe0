const { CATALOGUES } = jest.requireActual<{ CATALOGUES: Record<'zh-CN' | 'en', Record<string, string>> }>(
  '../../console/src/i18n/areas',
);
const { 'zh-CN': chinese, en: english } = CATALOGUES;

describe('what a task waits for', () => {
  it('is not told as an upstream by its state alone: it may be another task of its own job', () => {
    expect(chinese['reason.waiting_for_turn']).toContain('同一作业');
    expect([chinese['state.BLOCKED'], english['state.BLOCKED']]).toEqual(['等待前序', 'Blocked']);
  });

  it('is a worker of its group, whatever workers of others have', () => {
    expect(english['reason.no_worker']).toBe('no worker of the group has the handler');
    expect(chinese['reason.no_worker']).toBe('分组内没有具备该处理器的执行节点');
  });
});
