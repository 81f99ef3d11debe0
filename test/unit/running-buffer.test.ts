import { RunningBuffer } from '../../src/dispatch/running-buffer.js';
import type { Acceptance, LifecycleService } from '../../src/tasks/lifecycle.service.js';
import { waitFor } from '../support/wait-for.js';

const acceptance = (taskId: string): Acceptance => ({ taskId, lease: 2, workerId: 'w1', incarnation: 'i1', at: 0 });

describe('the buffer of confirmed orders', () => {
  const written: string[] = [];
  let failures = 0;
  let buffer: RunningBuffer;

  beforeEach(() => {
    written.length = 0;
    failures = 0;
    const lifecycle: Pick<LifecycleService, 'accept'> = {
      accept: async (acceptances) => {
        if (failures-- > 0) throw new Error('the database is away');
        written.push(...acceptances.map(({ taskId }) => taskId));
      },
    };
    buffer = new RunningBuffer(lifecycle as LifecycleService);
    buffer.start();
  });
  afterEach(() => buffer.stop());

  it('writes what nobody reported an end of', async () => {
    buffer.confirm([acceptance('a'), acceptance('b')]);
    buffer.forget('a', 2, 'w1');
    buffer.forget('b', 2, 'a stranger');
    await waitFor('it is written', () => written.length > 0);
    expect(written).toEqual(['b']);
    expect(buffer.has('b', 2)).toBe(false);
  });

  it('tries again by itself after a failure, although no further order is confirmed', async () => {
    failures = 2;
    buffer.confirm([acceptance('a')]);
    await waitFor('it is written', () => written.length > 0, 20_000);
    expect(written).toEqual(['a']);
  });
});
