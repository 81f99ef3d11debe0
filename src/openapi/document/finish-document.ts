import { STATUS_CODES } from 'node:http';
import type { ProblemCode } from '@evenkeel/sdk/contract';
import type { OpenAPIObject } from '@nestjs/swagger';
import { addCallbacks } from './callback-document.js';
import { codeSamples } from './code-samples.js';
import { exampleOfSchema } from './example-of-schema.js';
import { exampleProblem, refusalsOf } from './refusals.js';
import { header, SECURITY_SCHEMES, sharedHeaders } from './shared-components.js';

type Node = Record<string, unknown>;
interface Operation extends Node {
  operationId: string;
  responses: Record<string, Node & { headers?: Node }>;
}
const RATE_HEADERS = ['RateLimit', 'RateLimit-Policy'];
/** Refusals that a known sender may meet; one who is refused before that is told no limit. */
const TOLD_THEIR_LIMIT = new Set([400, 403, 404, 409, 422, 429, 500, 503]);

/** Adds what holds for every operation, and turns the 3.0 forms the decorators write into those of 3.1. */
export function finishDocument(document: OpenAPIObject): OpenAPIObject {
  const finished = asVersion31(document) as OpenAPIObject;
  finished.security = [Object.fromEntries(Object.keys(SECURITY_SCHEMES).map((name) => [name, []]))];
  const responses: Record<string, Node> = {};
  for (const [path, item] of Object.entries(finished.paths)) {
    for (const [method, operation] of Object.entries(item) as [string, Operation][]) {
      addExamples(operation, (finished.components?.schemas ?? {}) as Record<string, Node>);
      finishOperation(operation, method, responses);
      operation['x-codeSamples'] = codeSamples(method, path, operation);
    }
  }
  addCallbacks(finished as unknown as { paths: Record<string, Record<string, Node>>; webhooks?: Node });
  const added: Node = { securitySchemes: SECURITY_SCHEMES, headers: sharedHeaders(), responses };
  finished.components = { ...finished.components, ...added };
  (finished as unknown as Node)['x-ek-signing'] = { scheme: 'EK1-HMAC-SHA256', windowSeconds: 300 };
  return finished;
}

/** Every answer shows what it looks like. */
function addExamples(operation: Operation, schemas: Record<string, Node>): void {
  for (const response of Object.values(operation.responses)) {
    for (const media of Object.values((response.content ?? {}) as Record<string, Node>)) {
      if (media.schema && !media.examples && media.example === undefined)
        media.examples = { answer: { value: exampleOfSchema(media.schema as Node, schemas) } };
    }
  }
}

function finishOperation(operation: Operation, method: string, shared: Record<string, Node>): void {
  for (const response of Object.values(operation.responses)) {
    const always = ['X-Request-Id', ...RATE_HEADERS].map((name) => [name, header(name)]);
    response.headers = { ...response.headers, ...Object.fromEntries(always) };
  }
  for (const [status, codes] of refusalsOf(operation.operationId, method)) {
    const name = responseName(status, codes, shared);
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
}

/** Operations with the same codes at a status share one response. */
function responseName(status: number, codes: ProblemCode[], shared: Record<string, Node>): string {
  const base = (STATUS_CODES[status] ?? '').replace(/[^A-Za-z]/g, '');
  const description = `${STATUS_CODES[status]}: ${codes.join(', ')}`;
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}${n}`;
    if (shared[name]?.description === description) return name;
    if (shared[name]) continue;
    shared[name] = refusal(status, codes, description);
    return name;
  }
}

function refusal(status: number, codes: ProblemCode[], description: string): Node {
  const names = ['X-Request-Id'];
  if (status === 401) names.push('WWW-Authenticate');
  if (TOLD_THEIR_LIMIT.has(status)) names.push(...RATE_HEADERS);
  if (status === 429 || status === 503 || status === 409) names.push('Retry-After');
  return {
    description,
    headers: Object.fromEntries(names.map((name) => [name, header(name)])),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/ProblemDto' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleProblem(code) }])),
      },
    },
  };
}

/** `nullable` becomes a type of its own; a value of any JSON gets no type; `allOf` around one reference is dropped. */
function asVersion31(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asVersion31);
  if (typeof value !== 'object' || value === null) return value;
  const node = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asVersion31(member)])) as Node;
  if (node['x-any-json'] === true) {
    const { 'x-any-json': _marker, type: _type, ...rest } = node;
    return rest;
  }
  return node.nullable === true ? withNull(node) : node;
}

function withNull({ nullable: _nullable, ...node }: Node): Node {
  if (Array.isArray(node.enum)) node.enum = [...node.enum, null];
  if (typeof node.type === 'string' && !node.allOf) return { ...node, type: [node.type, 'null'] };
  const { allOf, $ref, type: _type, ...rest } = node;
  const inner = Array.isArray(allOf) ? allOf : [{ $ref }];
  return { ...rest, anyOf: [...inner, { type: 'null' }] };
}
