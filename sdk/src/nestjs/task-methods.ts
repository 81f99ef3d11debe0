import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ON_TASK, type TaskMark } from './on-task.js';

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

export interface TaskMethod extends TaskMark {
  /** For messages: `ImagesService.resize`. */
  where: string;
  run: (input: unknown, ctx: unknown) => unknown;
}

/** Every method marked with `@OnTask` in the application. Throws if one belongs to a provider that is not a singleton. */
export function taskMethods(discovery: DiscoveryService, scanner: MetadataScanner): TaskMethod[] {
  const found: TaskMethod[] = [];
  const seen = new Set<object>();
  for (const wrapper of [...discovery.getProviders(), ...discovery.getControllers()]) {
    const prototype = prototypeOf(wrapper);
    if (prototype === undefined) continue;
    for (const name of scanner.getAllMethodNames(prototype)) {
      const mark = markOf(prototype, name);
      if (mark === undefined) continue;
      const where = `${wrapper.name}.${name}`;
      if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient)
        throw new Error(`@OnTask on ${where}: its provider must be a singleton, there is no request when a task runs`);
      const { instance } = wrapper;
      // A provider known by two names is one instance.
      if (typeof instance === 'object' && instance !== null && !seen.has(instance))
        found.push({ ...mark, where, run: (input, ctx) => instance[name](input, ctx) });
    }
    if (typeof wrapper.instance === 'object' && wrapper.instance !== null) seen.add(wrapper.instance);
  }
  return found;
}

/** Of the instance, for what a factory made has no class of its own here; of the class while there is no instance. */
function prototypeOf({ instance, metatype }: Wrapper): Record<string, unknown> | undefined {
  const made = typeof instance === 'object' && instance !== null;
  const prototype: unknown = made ? Object.getPrototypeOf(instance) : metatype?.prototype;
  const usable = typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype;
  return usable ? (prototype as Record<string, unknown>) : undefined;
}

function markOf(prototype: Record<string, unknown>, name: string): TaskMark | undefined {
  const method = prototype[name];
  return typeof method === 'function' ? (Reflect.getMetadata(ON_TASK, method) as TaskMark | undefined) : undefined;
}
