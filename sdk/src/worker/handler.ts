import type { HandlerOffer, Json } from '../contract/index.js';
import type { StandardSchemaV1 } from '../task/standard-schema.js';

export interface HandleOptions {
  version?: string;
  /** At most this many attempts of the handler at once on this worker. */
  concurrency?: number;
  /** The pool whose slots its attempts take; `default` if absent. */
  pool?: string;
  /** JSON Schema the console may show. */
  paramsSchema?: Json;
}

/** One registered handler. */
export interface Handler extends HandleOptions {
  name: string;
  input?: StandardSchemaV1;
  output?: StandardSchemaV1;
  /** Called with the checked input and an AttemptContext. */
  run: (input: never, ctx: never) => unknown;
}

export function offerOf({ name, version, concurrency, paramsSchema }: Handler): HandlerOffer {
  return { name, version, concurrency, paramsSchema };
}
