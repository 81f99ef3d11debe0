import 'reflect-metadata';
import { inspect } from 'node:util';
import { createClient } from '@evenkeel/sdk/client';
import { EvenkeelWorkerHost, EvenkeelWorkerModule } from '@evenkeel/sdk/nestjs';
import { createWorker } from '@evenkeel/sdk/worker';
import { NestFactory } from '@nestjs/core';

const SECRET = 'sk_live_that-nobody-may-read-in-a-log';
const WORKER = { centre: 'http://127.0.0.1:1', key: 'wk_ABCDEFGHIJKLMNOPQRST', secret: SECRET, groups: ['default'] };

/** Not the whole of a failed comparison: that would print what must not be printed. */
const shows = (object: object): boolean =>
  [JSON.stringify(object), inspect(object, { depth: Number.POSITIVE_INFINITY, showHidden: true })].some((text) =>
    text.includes(SECRET),
  );

describe('what a program prints of the SDK shows no secret', () => {
  it('of a client', () => {
    const client = createClient({
      url: 'http://127.0.0.1:1',
      accessKey: 'ak_live_ABCDEFGHIJKLMNOPQRST',
      secretKey: SECRET,
    });
    expect(shows(client)).toBe(false);
    client.close();
  });

  it('of a worker', () => {
    expect(shows(createWorker(WORKER).handle('noop', () => null))).toBe(false);
  });

  it('of the worker of a Nest application', async () => {
    const context = await NestFactory.createApplicationContext(EvenkeelWorkerModule.forRoot(WORKER), { logger: false });
    expect(shows(context.get(EvenkeelWorkerHost))).toBe(false);
    await context.close();
  });
});
