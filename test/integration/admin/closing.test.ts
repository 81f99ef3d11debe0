import { once } from 'node:events';
import { connect } from 'node:net';
import { ConsoleWorld } from './support/console-world.js';

describe('a node that stops', () => {
  it('does not wait for connections over which nobody ever spoke', async () => {
    const world = await ConsoleWorld.start('embedded');
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.resume();
    const closed = once(socket, 'close');
    await world.stop();
    await closed;
  }, 30_000);
});
