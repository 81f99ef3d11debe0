import { type ExecutionContext, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { isPermission } from '../decisions/permissions.js';
import { ANYONE, AUDIENCE, type Audience, NEEDS, SCOPE, SIGNED_IN } from '../platform/audience.js';

export interface RouteMarks {
  audience: Audience;
  scope: string | undefined;
  /** Of console routes: a permission, or `signed-in`, or `anyone`. */
  needs: string | undefined;
}

/**
 * Whom each route serves, and what it needs. A controller that does not say so stops the boot, and so does a console route that
 * names no permission: nothing is open by omission.
 */
@Injectable()
export class AudienceMarks implements OnModuleInit {
  private readonly known = new Map<unknown, RouteMarks>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly reflector: Reflector,
  ) {}

  /** Every route of the console, as its handler is marked. */
  consoleRoutes(): { controller: string; controllerPath: string; handler: string; method: object; needs: string | undefined }[] {
    const scanner = new MetadataScanner();
    return this.discovery.getControllers().flatMap(({ metatype, instance, name }) => {
      if (!metatype || this.reflector.get<Audience | undefined>(AUDIENCE, metatype) !== 'console') return [];
      const prototype = Object.getPrototypeOf(instance) as Record<string, (...args: unknown[]) => unknown>;
      return scanner
        .getAllMethodNames(prototype)
        .map((handler) => ({ handler, method: prototype[handler] as (...args: unknown[]) => unknown }))
        .filter(({ method }) => Reflect.hasMetadata('path', method))
        .map(({ handler, method }) => ({
          controller: name,
          controllerPath: Reflect.getMetadata('path', metatype) as string,
          handler,
          method,
          needs: this.reflector.get<string | undefined>(NEEDS, method),
        }));
    });
  }

  onModuleInit(): void {
    for (const { metatype, name } of this.discovery.getControllers()) {
      if (metatype && !this.reflector.get<Audience | undefined>(AUDIENCE, metatype)) {
        throw new Error(`controller ${name} states no audience: mark it with @For('partner' | 'worker' | 'console' | 'public')`);
      }
    }
    for (const { controller, handler, needs } of this.consoleRoutes()) {
      if (needs === undefined || !(needs === ANYONE || needs === SIGNED_IN || isPermission(needs)))
        throw new Error(`${controller}.${handler} states no permission: mark it with @Needs(…)`);
    }
  }

  of(context: ExecutionContext): RouteMarks {
    const handler = context.getHandler();
    let marks = this.known.get(handler);
    if (!marks) {
      const places = [handler, context.getClass()];
      marks = {
        audience: this.reflector.getAllAndOverride<Audience>(AUDIENCE, places),
        scope: this.reflector.getAllAndOverride<string | undefined>(SCOPE, places),
        needs: this.reflector.getAllAndOverride<string | undefined>(NEEDS, places),
      };
      this.known.set(handler, marks);
    }
    return marks;
  }
}
