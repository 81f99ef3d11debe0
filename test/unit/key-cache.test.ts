import { KeyCache } from '../../src/auth/key-cache.js';

function world() {
  const state = { now: 0, loads: [] as string[], answers: new Map<string, string>(), gate: null as Promise<void> | null };
  const cache = new KeyCache<string>(
    async (name) => {
      state.loads.push(name);
      const answer = state.answers.get(name) ?? null;
      await state.gate;
      return answer;
    },
    () => state.now,
  );
  return { state, cache };
}

describe('the cache of keys', () => {
  it('loads once for parallel questions, and answers from memory for a minute, absence included', async () => {
    const { state, cache } = world();
    state.answers.set('a', 'A');
    expect(await Promise.all([cache.get('a'), cache.get('a'), cache.get('b')])).toEqual(['A', 'A', null]);
    expect([cache.get('a'), cache.get('b')]).toEqual(['A', null]);
    expect(state.loads).toEqual(['a', 'b']);
    state.now = 60_000;
    await cache.get('a');
    await cache.get('b');
    expect(state.loads).toEqual(['a', 'b', 'a', 'b']);
  });

  it('does not keep what was being read when it was told to forget', async () => {
    const { state, cache } = world();
    let open: () => void = () => {};
    state.gate = new Promise((resolve) => {
      open = resolve;
    });
    state.answers.set('a', 'old');
    const reading = cache.get('a');
    cache.forget('a');
    state.answers.set('a', 'new');
    open();
    expect(await reading).toBe('old');
    expect(await cache.get('a')).toBe('new');
  });

  it('does not keep a failure', async () => {
    let fail = true;
    const cache = new KeyCache<string>(
      async () => {
        if (fail) throw new Error('away');
        return 'A';
      },
      () => 0,
    );
    await expect(cache.get('a')).rejects.toThrow('away');
    fail = false;
    expect(await cache.get('a')).toBe('A');
  });

  it('keeps real keys while a flood of invented ones passes', async () => {
    const { state, cache } = world();
    state.answers.set('real', 'R');
    await cache.get('real');
    for (let i = 0; i < 12_000; i++) await cache.get(`invented-${i}`);
    state.loads.length = 0;
    expect(cache.get('real')).toBe('R');
    expect(state.loads).toEqual([]);
  });
});
