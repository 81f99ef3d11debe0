import { createLogger, NestLogging } from '../../src/platform/logging.js';

function capture(level: 'info' | 'trace' = 'trace') {
  const lines: Record<string, unknown>[] = [];
  const logging = new NestLogging(
    createLogger({ logLevel: level, nodeId: 'n1' }, { write: (line) => lines.push(JSON.parse(line)) }),
  );
  return { lines, logging };
}

describe('a log line', () => {
  it('has a constant message, the data as fields, and the context', () => {
    const { lines, logging } = capture();
    logging.log('task claimed', { taskId: 'task_1', attempt: 2 }, 'Dispatcher');
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'info',
        node: 'n1',
        msg: 'task claimed',
        taskId: 'task_1',
        attempt: 2,
        context: 'Dispatcher',
      }),
    ]);
    expect(lines[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  });

  it('hides secrets by name and by shape, however deep', () => {
    const { lines, logging } = capture();
    const secret = 'sk_live_abcdefghijklmnopqrstuvwxyz0123456789';
    logging.warn('request refused', {
      headers: { 'X-EK-Signature': 'v1=aa', authorization: 'Bearer x', host: 'h' },
      clientSecret: 'a',
      nested: { list: [{ sk: 'b', whsecOld: 'c' }] },
      text: `the key ${secret} and whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`,
      url: new URL('mysql://user:hunter2@db/x'),
    });
    const text = JSON.stringify(lines);
    for (const hidden of ['v1=aa', 'Bearer', '"a"', '"b"', '"c"', secret, 'MfKQ9r8', 'hunter2'])
      expect(text).not.toContain(hidden);
    expect(lines[0]).toMatchObject({ headers: { host: 'h' }, url: 'mysql://user:[hidden]@db/x' });
  });

  it('keeps what explains an error, but not the parameters of its statement', () => {
    const { lines, logging } = capture();
    const error = Object.assign(new Error('duplicate'), {
      code: 'ER_DUP_ENTRY',
      query: 'INSERT …',
      parameters: ['personal data'],
    });
    logging.error('insert failed', { err: error, taskId: 'task_1' });
    expect(lines[0]).toMatchObject({
      level: 'error',
      err: { type: 'Error', message: 'duplicate', code: 'ER_DUP_ENTRY', query: 'INSERT …' },
    });
    expect(JSON.stringify(lines)).not.toContain('personal data');
  });

  it("understands Nest's own way of logging an exception", () => {
    const { lines, logging } = capture();
    logging.error('boom', 'Error: boom\n at x', 'ExceptionsHandler');
    logging.error(new Error('thrown'), 'Router');
    expect(lines[0]).toMatchObject({ msg: 'boom', stack: 'Error: boom\n at x', context: 'ExceptionsHandler' });
    expect(lines[1]).toMatchObject({ msg: 'thrown', err: { message: 'thrown' }, context: 'Router' });
  });

  it('is not written below the level', () => {
    const { lines, logging } = capture('info');
    logging.debug('silent');
    logging.verbose('silent');
    logging.log('written');
    expect(lines).toHaveLength(1);
  });
});
