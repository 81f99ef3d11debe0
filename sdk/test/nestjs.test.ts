import { type INestApplicationContext, Injectable, Module, Scope } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type AttemptContext, defineTask, EvenkeelWorkerHost, EvenkeelWorkerModule, OnTask } from '../src/nestjs/index.js';
import { KEY, order, SECRET, until } from './fake-centre.js';
import { World } from './world.js';

const greet = defineTask<{ name: string }, { text: string }>({ name: 'greet' });

@Injectable()
class Greetings {
  readonly hello = 'Hello';
}
@Injectable()
class GreetingTasks {
  closed = false;
  constructor(private readonly greetings: Greetings) {}

  @OnTask(greet, { concurrency: 3 })
  greet({ name }: { name: string }, ctx: AttemptContext): { text: string } {
    ctx.log.info('greeting');
    return { text: `${this.greetings.hello}, ${name}` };
  }

  @OnTask('slow', { pool: 'long' })
  async slow(_: unknown, ctx: AttemptContext): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return this.closed ? 'closed' : `attempt ${ctx.attempt}`;
  }

  onApplicationShutdown(): void {
    this.closed = true;
  }
}
@Injectable({ scope: Scope.REQUEST })
class Scoped {
  @OnTask('scoped')
  run(): void {}
}

describe('the Nest module', () => {
  let world: World;
  let app: INestApplicationContext | undefined;
  const options = () => ({
    centre: world.centre.url,
    key: KEY,
    secret: SECRET,
    groups: ['g'],
    workerId: 'nest',
    dataDir: world.dataDir,
    pools: { long: { concurrency: 1 } },
  });
  const start = async (
    imports: Parameters<typeof Module>[0]['imports'],
    providers: Parameters<typeof Module>[0]['providers'],
  ) => {
    @Module({ imports, providers })
    class App {}
    app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
    return app;
  };

  beforeEach(async () => {
    world = await World.open();
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await world.close();
  });

  it('makes every marked method a handler, called with its provider', async () => {
    const { centre } = world;
    await start([EvenkeelWorkerModule.forRoot({ ...options(), waitForCentre: true })], [Greetings, GreetingTasks]);
    expect(centre.worker.handlers).toEqual([{ name: 'greet', concurrency: 3 }, { name: 'slow' }]);
    const each = order({ handler: 'greet', params: { name: 'Ada' } });
    await centre.run([each]);
    const result = await until('result', () => centre.resultOf(each.taskId));
    expect(result).toMatchObject({ outcome: 'succeeded', result: { text: 'Hello, Ada' } });
    expect(centre.lines.map(({ message }) => message)).toEqual(['greeting']);
  });

  it('takes options from a factory and starts although the centre is away', async () => {
    const { centre } = world;
    centre.behaviour.register = { status: 503 };
    const settings = EvenkeelWorkerModule.forRootAsync({
      imports: [{ module: class {}, providers: [Greetings], exports: [Greetings] }],
      inject: [Greetings],
      useFactory: (greetings: Greetings) => ({ ...options(), zone: greetings.hello }),
    });
    await start([settings], [Greetings, GreetingTasks]);
    await until('it asks', () => centre.calls.includes('register'));
    centre.behaviour.register = 'serve';
    await until('registered', () => centre.registrations.length === 1);
    expect(centre.worker.zone).toBe('Hello');
  });

  it('drains before the application lets go of what handlers use', async () => {
    const { centre } = world;
    await start([EvenkeelWorkerModule.forRoot({ ...options(), waitForCentre: true })], [Greetings, GreetingTasks]);
    const each = order({ handler: 'slow' });
    await centre.run([each]);
    await app?.close();
    app = undefined;
    expect(centre.resultOf(each.taskId)).toMatchObject({ outcome: 'succeeded', result: 'attempt 1' });
    expect(centre.deregistrations).toHaveLength(1);
  });

  it('does not come up when the centre refuses the worker and the application wanted to wait', async () => {
    world.centre.behaviour.register = { status: 409, body: { code: 'worker_id_in_use', title: 'in use' } };
    const imports = [EvenkeelWorkerModule.forRoot({ ...options(), waitForCentre: true })];
    await expect(start(imports, [Greetings, GreetingTasks])).rejects.toThrow(/in use/);
  });

  it('refuses a handler in a provider of request scope', async () => {
    await expect(start([EvenkeelWorkerModule.forRoot(options())], [Scoped])).rejects.toThrow(/Scoped.run.*singleton/);
  });

  it('starts no worker without handlers', async () => {
    const started = await start([EvenkeelWorkerModule.forRoot(options())], []);
    expect(started.get(EvenkeelWorkerHost, { strict: false }).worker).toBeUndefined();
    expect(world.centre.calls).toEqual([]);
  });
});
