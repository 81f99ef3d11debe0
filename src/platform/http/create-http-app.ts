import type { Server } from 'node:http';
import { LIMITS } from '@evenkeel/sdk/contract';
import type { DynamicModule, NestApplicationOptions, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { newRequestId } from '../ids.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import { AnsweredRequests } from './answered-requests.js';
import { Connections } from './connections.js';
import { Leaving } from './leaving.js';
import { answerBrokenRequest, answerTunnelRequest, answerUnroutable } from './raw-answers.js';
import { bodyLimitOf, checkHead, HEADER_BYTES } from './request-limits.js';
import { RouteTable } from './route-table.js';

/** Long enough for the largest import over a slow line. A body is kept before anybody knows who sends it, so it must end some time. */
const REQUEST_WITHIN_MS = 120_000;
const HEADERS_WITHIN_MS = 60_000;
const LOOK_AT_LEAST_EVERY_MS = 10_000;

export interface HttpAppOptions {
  /** How many proxies stand in front, or their addresses and CIDRs; only they may state a client's address. Default: none. */
  trustProxy?: number | string[];
  /** Path a proxy strips before /openapi: what answers name there is named as the caller knows it. */
  publicPrefix?: string;
  /** A request that has not arrived in full by then is given up. Default: two minutes. */
  requestWithinMs?: number;
  nest?: NestApplicationOptions;
}

/** Requests are judged by the rules of the house. Fastify's own compilers would be loaded by every start and asked by no route. */
function noSchemas(): never {
  throw new Error('a route states a Fastify schema, which nothing compiles here');
}

/**
 * A Nest application on Fastify that reads bodies as bytes (the guard verifies them, then parses), tolerates no second spelling of a
 * path, and answers every failure, the framework's own included, with problem+json. The root module must import HttpModule.
 * `close` is bounded: what its clients still do is ended as `Connections` says.
 */
export async function createHttpApp(root: Type | DynamicModule, options: HttpAppOptions = {}): Promise<NestFastifyApplication> {
  const { requestWithinMs = REQUEST_WITHIN_MS } = options;
  const adapter = new FastifyAdapter({
    bodyLimit: LIMITS.partnerBatchBytes,
    trustProxy: options.trustProxy ?? false,
    genReqId: newRequestId,
    requestIdHeader: false,
    requestTimeout: requestWithinMs,
    http: {
      maxHeaderSize: HEADER_BYTES,
      requireHostHeader: false,
      headersTimeout: Math.min(requestWithinMs, HEADERS_WITHIN_MS),
      connectionsCheckingInterval: Math.min(requestWithinMs / 2, LOOK_AT_LEAST_EVERY_MS),
    },
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false, maxParamLength: 512 },
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerBrokenRequest,
    // What still arrives while the node leaves is answered as ever: everything it needs is there until the server is closed.
    return503OnClosing: false,
    skipMiddie: true,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  } as ConstructorParameters<typeof FastifyAdapter>[0]);
  const instance = adapter.getInstance();
  // No route serves it. As a method with a body, Fastify would refuse one without before anybody says which methods are allowed.
  instance.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  instance.decorateRequest('caller', null);
  instance.decorateRequest('bodyText', undefined);
  instance.decorateRequest('signedQuery', null);

  const server = instance.server as Server;
  // All of them: Node would drop those beyond a thousand unseen, a second Host or signature among them. Their bytes are limited.
  server.maxHeadersCount = 0;
  // An expectation that is not 100-continue is passed over, as RFC 9110 allows: Node's own refusal has no form of ours.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', answerTunnelRequest);
  const connections = new Connections(server);
  let leaving: Leaving | undefined;
  instance.addHook('preClose', (done) => {
    leaving?.begin();
    done();
  });

  const seen: [string | string[], string][] = [];
  let routes: RouteTable | undefined;
  instance.addHook('onRoute', (route) => {
    route.bodyLimit ??= bodyLimitOf(route.url);
    if (routes) routes.add(route.method, route.url);
    else seen.push([route.method, route.url]);
  });
  instance.addHook('onRequest', (request, reply, done) => {
    reply.headers(ANSWER_HEADERS).header('x-request-id', request.id);
    try {
      checkHead(request as FastifyRequest);
      done();
    } catch (error) {
      done(error as Error);
    }
  });

  let answered: AnsweredRequests | undefined;
  instance.addHook('onResponse', (request, reply, done) => {
    answered?.answered(request as FastifyRequest, reply.statusCode);
    done();
  });

  const { publicPrefix = '' } = options;
  if (publicPrefix)
    instance.addHook('onSend', (_request, reply, payload, done) => {
      const location = reply.getHeader('location');
      if (typeof location === 'string' && location.startsWith('/openapi/')) reply.header('location', publicPrefix + location);
      done(null, payload);
    });

  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    bufferLogs: true,
    ...options.nest,
    bodyParser: false,
  });
  app.get(Leaving).onBegin(() => connections.leave());
  leaving = app.get(Leaving);
  answered = app.get(AnsweredRequests);
  const table = app.get(RouteTable);
  for (const [methods, url] of seen) table.add(methods, url);
  routes = table;
  return app;
}
