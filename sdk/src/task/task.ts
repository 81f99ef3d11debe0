import { LIMITS } from '../contract/index.js';
import type { StandardSchemaV1 } from './standard-schema.js';

/**
 * A handler's name with its types: what a client submits (`Input`), what the handler receives (`Params`), what it may return
 * (`Returned`) and what is stored (`Result`). Shared by workers and clients; holds no behaviour.
 */
export interface Task<Input = unknown, Params = Input, Returned = unknown, Result = Returned> {
  readonly name: string;
  readonly input?: StandardSchemaV1<Input, Params>;
  readonly output?: StandardSchemaV1<Returned, Result>;
}

/** With schemas the types flow from them; without, name them: `defineTask<{ ms: number }, string>({ name: 'sleep' })`. */
export function defineTask<Input = unknown, Returned = unknown, Params = Input, Result = Returned>(definition: {
  name: string;
  input?: StandardSchemaV1<Input, Params>;
  output?: StandardSchemaV1<Returned, Result>;
}): Task<Input, Params, Returned, Result> {
  checkHandlerName(definition.name);
  return Object.freeze({ ...definition });
}

export function checkHandlerName(name: string): void {
  if (typeof name !== 'string' || name === '') throw new TypeError('a handler needs a name');
  if (name.length > LIMITS.handlerLength) throw new RangeError(`handler name: longer than ${LIMITS.handlerLength} characters`);
}
