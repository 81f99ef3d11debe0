import type { CallbackEventType, TerminalState } from '@evenkeel/sdk/contract';
import { wholeText } from './whole-text.js';

export const CALLBACK_API_VERSION = '2026-01-01';
export const CALLBACK_BODY_BYTES = 20_000;
const MESSAGE_LENGTH = 2_000;

export const eventTypeOf = (state: TerminalState): CallbackEventType => `task.${state.toLowerCase()}` as CallbackEventType;

/** What a callback tells of a task that has ended. Instants are epoch milliseconds. */
export interface EndedFacts {
  id: string;
  /** Version of the task at its end. */
  seq: number;
  state: TerminalState;
  reason: string | null;
  clientRequestId: string | null;
  jobId: string | null;
  scheduledAt: number;
  createdAt: number;
  endedAt: number;
  /** Attempts begun. */
  attempts: number;
  /** JSON text, written as it is; null for none. */
  result: string | null;
  error: { name: string; message: string } | null;
  /** JSON text of an object; null for none. */
  metadata: string | null;
}

/** What does not fit into a body. */
interface LeftOut {
  result: boolean;
  metadata: boolean;
}
/** Tried in this order: a large result never costs the metadata, large metadata never cost the result that fits without them. */
const SHORTENED: readonly LeftOut[] = [
  { result: false, metadata: false },
  { result: true, metadata: false },
  { result: false, metadata: true },
  { result: true, metadata: true },
];

/**
 * The bytes of a task's event, rendered once: every attempt sends them as they are. A result that is too large is left out, and so are
 * metadata that are too large by themselves; the body says so. `publicPrefix` is the path a proxy strips before /openapi: the receiver
 * is named the path it calls.
 */
export function taskEventBody(eventId: string, facts: EndedFacts, publicPrefix = ''): string {
  const resultUrl = `${publicPrefix}/openapi/v1/tasks/${facts.id}`;
  let body = '';
  for (const { result, metadata } of SHORTENED) {
    if ((result && facts.result === null) || (metadata && facts.metadata === null)) continue;
    body = render(eventId, facts, resultUrl, { result, metadata });
    if (Buffer.byteLength(body) <= CALLBACK_BODY_BYTES) break;
  }
  return body;
}

function render(eventId: string, facts: EndedFacts, resultUrl: string, leftOut: LeftOut): string {
  const head = { id: eventId, type: eventTypeOf(facts.state), timestamp: iso(facts.endedAt), apiVersion: CALLBACK_API_VERSION };
  const before = {
    taskId: facts.id,
    executionId: facts.attempts > 0 ? `att_${facts.id.slice(facts.id.indexOf('_') + 1)}_${facts.attempts}` : null,
    jobId: facts.jobId,
    scheduledAt: facts.jobId === null ? null : iso(facts.scheduledAt),
    clientRequestId: facts.clientRequestId,
    status: facts.state,
    reason: facts.reason,
    seq: facts.seq,
    createdAt: iso(facts.createdAt),
    finishedAt: iso(facts.endedAt),
    attempts: facts.attempts,
  };
  const after = {
    ...(leftOut.result ? { resultTruncated: true } : {}),
    ...(leftOut.metadata ? { metadataTruncated: true } : {}),
    resultUrl,
    error: facts.error && { name: wholeText(facts.error.name), message: wholeText(facts.error.message.slice(0, MESSAGE_LENGTH)) },
  };
  const result = leftOut.result ? null : facts.result;
  const metadata = leftOut.metadata ? null : facts.metadata;
  const data = `${open(before)},"result":${result ?? 'null'},${open(after).slice(1)},"metadata":${metadata ?? '{}'}}`;
  return `${open(head)},"data":${data}}`;
}

/** The body of an event that is about an endpoint, not about a task. */
export const plainEventBody = (eventId: string, type: string, at: number, data: Record<string, unknown>): string =>
  JSON.stringify({ id: eventId, type, timestamp: iso(at), apiVersion: CALLBACK_API_VERSION, data });

const iso = (atMs: number): string => new Date(atMs).toISOString();
const open = (members: object): string => JSON.stringify(members).slice(0, -1);
