import { randomUUID } from 'node:crypto';
import { type ClientRequest, request as httpRequest, type Server } from 'node:http';
import { connect } from 'node:net';
import { signedHeaders } from '@evenkeel/sdk/contract';
import { Controller, Global, Module, Post, Req, type Type } from '@nestjs/common';
import { AccessKeysService } from '../../../../src/auth/access-keys.service.js';
import { AppsService } from '../../../../src/auth/apps.service.js';
import { AuthModule } from '../../../../src/auth/auth.module.js';
import { Keyring } from '../../../../src/auth/secret-box.js';
import { CallbackPolicy } from '../../../../src/callbacks/callback-policy.js';
import { DeliveriesService } from '../../../../src/callbacks/deliveries.service.js';
import { EndpointsService } from '../../../../src/callbacks/endpoints.service.js';
import { PendingCallbacks } from '../../../../src/callbacks/pending-callbacks.js';
import { ExplainService } from '../../../../src/dispatch/explain.service.js';
import { BackfillsService } from '../../../../src/jobs/backfills.service.js';
import { GroupsService } from '../../../../src/jobs/groups.service.js';
import { JobsService } from '../../../../src/jobs/jobs.service.js';
import { HandlerDirectory } from '../../../../src/openapi/handler-directory.js';
import { OpenapiModule } from '../../../../src/openapi/openapi.module.js';
import { For } from '../../../../src/platform/audience.js';
import { Clock } from '../../../../src/platform/clock.js';
import { Config } from '../../../../src/platform/config.js';
import { createHttpApp } from '../../../../src/platform/http/create-http-app.js';
import { HttpModule } from '../../../../src/platform/http/http.module.js';
import type { WorkerRequest } from '../../../../src/platform/http/request.js';
import { NonceStore, RateLimiter, Signals, SqlDialect } from '../../../../src/ports.js';
import { EventsService } from '../../../../src/tasks/events.service.js';
import { RunsService } from '../../../../src/tasks/runs.service.js';
import { TaskLogs } from '../../../../src/tasks/task-logs.js';
import { TasksService } from '../../../../src/tasks/tasks.service.js';
import { UnfinishedTasks } from '../../../../src/tasks/unfinished-tasks.js';
import { MemoryGroups, MemoryTasks, NoHandlers } from './memory-tasks.js';
import { LocalSignals, MemoryNonces, MemoryRates, MovedClock, TestKeyring } from './ports.js';
import { WatchedDialect } from './watched-dialect.js';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
  json: any;
}
export interface Call {
  method?: string;
  target?: string;
  body?: string | Buffer;
  /** Replaces signed headers; undefined removes one. */
  headers?: Record<string, string | undefined>;
  key?: { accessKey: string; secret: string };
  sign?: Partial<{ nonce: string; timestamp: string; target: string; method: string; body: string | Buffer }>;
}

@For('worker')
@Controller('worker/v1')
class EchoController {
  @Post('echo')
  echo(@Req() request: WorkerRequest) {
    return { caller: request.caller, body: request.body };
  }
}

interface FaceOptions {
  more?: Type[];
  publicPrefix?: string;
  requestWithinMs?: number;
}

/** The face on a real socket, with the record of tasks and the ports in memory. */
export async function startFace({ more = [], publicPrefix = '', requestWithinMs }: FaceOptions = {}) {
  const clock = new MovedClock();
  const world = {
    clock,
    dialect: await WatchedDialect.open(),
    nonces: new MemoryNonces(),
    rates: new MemoryRates(clock),
    signals: new LocalSignals(),
    tasks: new MemoryTasks(clock),
    groups: new MemoryGroups(),
  };
  const provided = [
    { provide: SqlDialect, useValue: world.dialect },
    { provide: NonceStore, useValue: world.nonces },
    { provide: RateLimiter, useValue: world.rates },
    { provide: Signals, useValue: world.signals },
    { provide: Clock, useValue: clock },
    { provide: Config, useValue: { openapiPublicPrefix: publicPrefix, nodeId: 'face' } },
    { provide: Keyring, useClass: TestKeyring },
    { provide: TasksService, useValue: world.tasks },
    {
      provide: UnfinishedTasks,
      useValue: { reached: (appId: number, limit: number) => world.tasks.unfinishedOf(appId) >= limit },
    },
    { provide: GroupsService, useValue: world.groups },
    { provide: ExplainService, useValue: world.tasks },
    // Jobs are tested on real databases; here they only have to be there.
    { provide: JobsService, useValue: {} },
    { provide: RunsService, useValue: {} },
    { provide: TaskLogs, useValue: {} },
    { provide: BackfillsService, useValue: {} },
    { provide: EventsService, useValue: {} },
    { provide: CallbackPolicy, useValue: { refusalOf: () => world.tasks.callbackRefusal } },
    { provide: PendingCallbacks, useValue: { of: () => world.tasks.pendingCallbacks } },
    { provide: EndpointsService, useValue: {} },
    { provide: DeliveriesService, useValue: {} },
  ];
  @Global()
  @Module({ providers: provided, exports: provided.map(({ provide }) => provide) })
  class WorldModule {}
  @Module({
    imports: [
      ...more,
      WorldModule,
      HttpModule,
      AuthModule,
      OpenapiModule.register({ imports: [AuthModule], handlers: { provide: HandlerDirectory, useClass: NoHandlers } }),
    ],
    controllers: [EchoController],
  })
  class FaceModule {}

  const app = await createHttpApp(FaceModule, { publicPrefix, requestWithinMs, nest: { logger: false, abortOnError: false } });
  await app.listen(0, '127.0.0.1').catch(async (error) => {
    await world.dialect.close();
    throw error;
  });
  const port = (app.getHttpServer().address() as { port: number }).port;
  const apps = app.get(AppsService);
  const keys = app.get(AccessKeysService);
  const partner = await apps.create({
    name: 'Demo',
    defaultGroup: 'default',
    groups: ['reports'],
    limits: { requestsPerSecond: 1000, requestBurst: 5000, tasksPerSecond: 1000, taskBurst: 5000 },
  });
  const key = await keys.create({ kind: 'partner', appId: partner.id, label: 'first', mode: 'test' });

  const signed = (call: Call) => {
    const { method = 'GET', target = '/openapi/v1/me', body = '' } = call;
    const used = call.key ?? key;
    const parts = {
      accessKey: used.accessKey,
      timestamp: String(Math.floor(clock.now() / 1000)),
      nonce: randomUUID(),
      method,
      target,
      body,
      ...call.sign,
    };
    return { method, target, body, headers: signedHeaders(parts, used.secret) };
  };
  const send = (call: Call = {}): Promise<Answer> => {
    const { method, target, body, ...rest } = signed(call);
    const headers: Record<string, string | undefined> = {
      ...rest.headers,
      ...(body.length > 0 ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) } : {}),
      ...call.headers,
    };
    for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name];
    return exchange(
      httpRequest({ host: '127.0.0.1', port, method, path: target, headers: headers as Record<string, string>, agent: false }),
      body,
    );
  };
  /** The bytes of a request without a body, for whoever writes them on a connection of their own. */
  const signedText = (call: Call): string => {
    const { method, target, headers } = signed(call);
    const lines = Object.entries({ host: 'a', ...headers }).map(([name, value]) => `${name}: ${value}`);
    return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  };
  const post = (target: string, body: unknown, call: Call = {}) =>
    send({
      method: 'POST',
      target,
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      ...call,
    });
  return {
    ...world,
    app,
    port,
    apps,
    keys,
    partner,
    key,
    send,
    post,
    signedText,
    connections: () =>
      new Promise<number>((resolve) => (app.getHttpServer() as Server).getConnections((_error, count) => resolve(count))),
    raw: (text: string) => rawExchange(port, text),
    close: () => app.close().then(() => world.dialect.close()),
  };
}
export type Face = Awaited<ReturnType<typeof startFace>>;

function exchange(request: ClientRequest, body: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          text,
          json: parsed(text),
        });
      });
    });
    request.end(body);
  });
}

/** What comes back for bytes that no well-behaved client would send. */
function rawExchange(port: number, text: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.setEncoding('utf8');
    socket.setTimeout(5000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.once('error', reject);
    socket.once('close', () => {
      const [head = '', rest = ''] = received.split('\r\n\r\n', 2);
      const [statusLine = '', ...lines] = head.split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      );
      resolve({ status: Number(statusLine.split(' ')[1]), headers, text: rest, json: parsed(rest) });
    });
  });
}

// biome-ignore lint/suspicious/noExplicitAny: see Answer
function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
