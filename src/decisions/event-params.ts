import type { Json } from '@evenkeel/sdk/contract';

export interface SentEvent {
  id: string;
  name: string;
  /** JSON text, as the partner wrote it. */
  payload: string;
}

/**
 * JSON text of the params of a task an event fires: the job's params with one more member, `event`. Params that are no object
 * stand in a member `params` beside it; null for none. Numbers of both keep their digits.
 */
export function eventParams(params: string, { id, name, payload }: SentEvent): string {
  const event = `"event":{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"payload":${payload}}`;
  const stated = JSON.parse(params) as Json;
  if (stated === null) return `{${event}}`;
  if (typeof stated !== 'object' || Array.isArray(stated)) return `{"params":${params},${event}}`;
  if (Object.keys(stated).length === 0) return `{${event}}`;
  if (Object.hasOwn(stated, 'event')) {
    const { event: _, ...others } = stated;
    return eventParams(JSON.stringify(others), { id, name, payload });
  }
  return `${params.trimEnd().slice(0, -1)},${event}}`;
}
