import { deeperThan, LIMITS } from '../contract/index.js';
import { type LogFields, safeJson } from './logger.js';

/** `"message":…` and, if there are any, `,"fields":…` of a line as JSON, cut to `LIMITS.logMessageBytes` each. Never throws. */
export function lineText(message: unknown, fields: LogFields | undefined): string {
  const said = `"message":${JSON.stringify(cut(typeof message === 'string' ? message : safeJson(message)))}`;
  if (fields === undefined) return said;
  const json = wellFormed(safeJson(fields));
  if (json === '{}' || !json.startsWith('{')) return said;
  const tooDeep = deeperThan(json, LIMITS.carriedJsonDepth);
  if (tooDeep) return `${said},"fields":{"leftOut":"the fields are nested deeper than ${LIMITS.carriedJsonDepth} levels"}`;
  if (Buffer.byteLength(json) <= LIMITS.logMessageBytes) return `${said},"fields":${json}`;
  return `${said},"fields":{"leftOut":"the fields are longer than ${LIMITS.logMessageBytes} bytes"}`;
}

/** Whole characters of at most the limit, without half a surrogate pair. */
function cut(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= LIMITS.logMessageBytes) return bytes.toString('utf8');
  let end = LIMITS.logMessageBytes - 3;
  while (((bytes[end] as number) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}

/** JSON.stringify writes half a surrogate pair as an escape, which no database takes. */
function wellFormed(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === '\\\\' ? found : '\\ufffd'));
}
