import { type ExecutionContext, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, Reflector } from '@nestjs/core';
import { AUDIENCE, type Audience, SCOPE } from '../platform/audience.js';

export interface RouteMarks {
  audience: Audience;
  scope: string | undefined;
}

/** Whom each route serves. A controller that does not say so stops the boot: nothing is open by omission. */
@Injectable()
export class AudienceMarks implements OnModuleInit {
  private readonly known = new Map<unknown, RouteMarks>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    for (const { metatype, name } of this.discovery.getControllers()) {
      if (metatype && !this.reflector.get<Audience | undefined>(AUDIENCE, metatype)) {
        throw new Error(`controller ${name} states no audience: mark it with @For('partner' | 'worker' | 'console' | 'public')`);
      }
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
      };
      this.known.set(handler, marks);
    }
    return marks;
  }
}
