import { SetMetadata } from '@nestjs/common';
import type { Task } from '../task/task.js';
import type { HandlerFunction } from '../worker/create-worker.js';
import type { HandleOptions } from '../worker/handler.js';

export const ON_TASK = 'evenkeel:on-task';

/** What `@OnTask` left on a method. */
export interface TaskMark {
  task: Task | string;
  options: HandleOptions;
}

type TaskMethod<Params, Returned> = <Method extends HandlerFunction<Params, Returned>>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

/**
 * The method of a provider or controller handles this task: it is called with the checked input and an AttemptContext. The compiler
 * holds it to the task's types. Providers of request or transient scope cannot handle tasks.
 */
export function OnTask<Input, Params, Returned, Result>(
  task: Task<Input, Params, Returned, Result>,
  options?: HandleOptions,
): TaskMethod<Params, Returned>;
// biome-ignore lint/suspicious/noExplicitAny: a handler known only by its name receives whatever was submitted
export function OnTask(name: string, options?: HandleOptions): TaskMethod<any, unknown>;
export function OnTask(task: Task | string, options: HandleOptions = {}): TaskMethod<never, unknown> {
  return SetMetadata(ON_TASK, { task, options } satisfies TaskMark) as TaskMethod<never, unknown>;
}
