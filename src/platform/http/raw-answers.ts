import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.js';
import { newId } from '../ids.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import { renderProblem } from './problem.js';

/** Answers what Node's parser refused before there was a request. The connection ends: its framing can no longer be trusted. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(rawAnswer(brokenRequest(error.code)));
}

/** Answers CONNECT, which Node takes for no request: the connection is this function's from here on, its errors too. */
export function answerTunnelRequest(_request: IncomingMessage, socket: Duplex): void {
  socket.once('error', () => socket.destroy());
  socket.end(rawAnswer(unknownMethod()), () => socket.destroy());
}

function rawAnswer(error: AppError): string {
  const requestId = newId('req');
  const { body, headers } = renderProblem(error, { requestId, target: '/' });
  const text = JSON.stringify(body);
  const all = {
    ...ANSWER_HEADERS,
    ...headers,
    'x-request-id': requestId,
    connection: 'close',
    'content-length': Buffer.byteLength(text),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}

const unknownMethod = (): AppError =>
  new AppError('method_not_allowed', 'the method is unknown', { headers: { allow: 'DELETE, GET, HEAD, POST, PUT' } });

function brokenRequest(code: string | undefined): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout', 'the request did not arrive in full in time');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError('headers_too_large', 'the request line and headers are larger than 16 KiB');
  if (code === 'HPE_INVALID_METHOD') return unknownMethod();
  return new AppError('invalid_request_target', 'the request is not well-formed HTTP/1.1');
}

/** Answers targets Fastify's router cannot decode; no hook of ours runs for them. */
export function answerUnroutable(_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { body, headers } = renderProblem(new AppError('invalid_request_target', 'the path is not decodable'), {
    requestId: request.id,
    target: request.raw.url ?? '/',
  });
  reply
    .code(body.status)
    .headers({ ...ANSWER_HEADERS, ...headers, 'x-request-id': request.id })
    .send(JSON.stringify(body));
}
