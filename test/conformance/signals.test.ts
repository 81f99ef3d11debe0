import { RedisSignals } from '../../src/backends/cluster/redis-signals.js';
import { LocalSignals } from '../../src/backends/embedded/local-signals.js';
import type { Signals } from '../../src/ports.js';
import { PrivateRedis } from '../support/private-redis.js';
import { connectRedis, freshPrefix } from '../support/redis-adapters.js';
import { redisUrl } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

async function redisNode(url: URL, prefix?: string) {
  const redis = await connectRedis(url, prefix);
  const signals = new RedisSignals(redis);
  await signals.start();
  return { signals, close: () => redis.disconnect() };
}

const ADAPTERS = {
  LocalSignals: async () => ({ signals: new LocalSignals() as Signals, close: (): void => {} }),
  RedisSignals: async () => redisNode(redisUrl()) as Promise<{ signals: Signals; close: () => void }>,
};

describe.each(Object.entries(ADAPTERS))('%s', (_name, open) => {
  let signals: Signals;
  let close: () => void;
  beforeAll(async () => {
    ({ signals, close } = await open());
  });
  afterAll(() => close());

  it('calls the subscribers of the publishing node, each once and after the current turn', async () => {
    const first: unknown[] = [];
    const second: unknown[] = [];
    signals.subscribe('submitted', (message) => first.push(message));
    signals.subscribe('submitted', (message) => second.push(message));
    signals.publish('submitted', { group: 'ordersé', count: 2 });
    expect(first).toEqual([]);
    await waitFor('both have heard', () => first.length > 0 && second.length > 0);
    signals.publish('submitted', 'fence');
    await waitFor('the fence has come', () => first.includes('fence') && second.includes('fence'));
    expect(first).toEqual([{ group: 'ordersé', count: 2 }, 'fence']);
    expect(second).toEqual([{ group: 'ordersé', count: 2 }, 'fence']);
  });

  it('keeps topics apart', async () => {
    const heard: unknown[] = [];
    signals.subscribe('mine', (message) => heard.push(message));
    signals.publish('other', 'not for me');
    signals.publish('mine', 'for me');
    await waitFor('mine has come', () => heard.length > 0);
    expect(heard).toEqual(['for me']);
  });

  it('calls nobody who has unsubscribed', async () => {
    const gone: unknown[] = [];
    const stayed: unknown[] = [];
    const unsubscribe = signals.subscribe('leaving', (message) => gone.push(message));
    signals.subscribe('leaving', (message) => stayed.push(message));
    unsubscribe();
    signals.publish('leaving', 1);
    await waitFor('the other has heard', () => stayed.length > 0);
    expect(gone).toEqual([]);
  });

  it('calls the others when one subscriber throws', async () => {
    const heard: unknown[] = [];
    signals.subscribe('throwing', () => {
      throw new Error('a subscriber that fails on purpose');
    });
    signals.subscribe('throwing', (message) => heard.push(message));
    signals.publish('throwing', 1);
    await waitFor('the other has heard', () => heard.length > 0);
    expect(heard).toEqual([1]);
  });

  it('says that what was published has left', async () => {
    signals.publish('leaves', 1);
    expect(await signals.flush()).toBe(true);
  });

  it('delivers a message that says nothing as null', async () => {
    const heard: unknown[] = [];
    signals.subscribe('empty', (message) => heard.push(message));
    signals.publish('empty', undefined);
    await waitFor('it has come', () => heard.length > 0);
    expect(heard).toEqual([null]);
  });
});

describe('RedisSignals on several nodes', () => {
  it('reaches the other node once and its own node once', async () => {
    const prefix = freshPrefix();
    const [one, two] = await Promise.all([redisNode(redisUrl(), prefix), redisNode(redisUrl(), prefix)]);
    const onOne: unknown[] = [];
    const onTwo: unknown[] = [];
    one.signals.subscribe('hello', (message) => onOne.push(message));
    two.signals.subscribe('hello', (message) => onTwo.push(message));
    one.signals.publish('hello', 'from one');
    await waitFor('two has heard one', () => onTwo.includes('from one'));
    two.signals.publish('hello', 'from two');
    await waitFor('one has heard two', () => onOne.includes('from two'));
    expect(onOne).toEqual(['from one', 'from two']);
    expect(onTwo).toEqual(['from one', 'from two']);
    one.close();
    two.close();
  });

  it('does not reach a node of another installation on the same Redis', async () => {
    const [one, other] = await Promise.all([redisNode(redisUrl()), redisNode(redisUrl())]);
    const heard: unknown[] = [];
    other.signals.subscribe('hello', (message) => heard.push(message));
    one.signals.publish('hello', 'from a stranger');
    other.signals.publish('hello', 'from itself');
    await waitFor('its own has come', () => heard.length > 0);
    expect(heard).toEqual(['from itself']);
    one.close();
    other.close();
  });

  it('goes on locally without Redis, and reaches the other node again when Redis returns', async () => {
    const server = await PrivateRedis.start();
    const prefix = freshPrefix();
    const [one, two] = await Promise.all([redisNode(server.url, prefix), redisNode(server.url, prefix)]);
    const onOne: unknown[] = [];
    const onTwo: unknown[] = [];
    one.signals.subscribe('hello', (message) => onOne.push(message));
    two.signals.subscribe('hello', (message) => onTwo.push(message));
    await server.stop();
    one.signals.publish('hello', 'while away');
    await waitFor('one has heard itself', () => onOne.includes('while away'));
    expect(await one.signals.flush()).toBe(false);
    expect(await one.signals.flush()).toBe(true);
    await server.startAgain();
    await waitFor('two hears again', () => {
      one.signals.publish('hello', 'back');
      return onTwo.includes('back');
    });
    expect(onTwo).not.toContain('while away');
    one.close();
    two.close();
    await server.stop();
  });
});
