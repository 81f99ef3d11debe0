import { canonicalTarget, InvalidTargetError } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { AppError } from '../errors.js';

/** Knows every registered route, to say why a request met none: another method, a malformed target, or nothing there at all. */
@Injectable()
export class RouteTable {
  private readonly routes: { method: string; segments: string[] }[] = [];

  add(methods: string | string[], url: string): void {
    for (const method of [methods].flat()) this.routes.push({ method, segments: url.split('/') });
  }

  serves(method: string, path: string): boolean {
    return this.allowedMethods(path).includes(method);
  }

  /** The error of a request no route took. */
  explain(method: string, target: string): AppError {
    if (/^\/?(openapi|worker)\b/.test(target) || !target.startsWith('/')) {
      try {
        canonicalTarget(target);
      } catch (error) {
        if (error instanceof InvalidTargetError) return new AppError('invalid_request_target', error.rule);
        throw error;
      }
    }
    const allowed = this.allowedMethods(target.split('?', 1)[0] as string);
    if (allowed.length === 0 || allowed.includes(method)) return new AppError('not_found', 'there is no such resource');
    const allow = allowed.join(', ');
    return new AppError('method_not_allowed', `allowed here: ${allow}`, { headers: { allow } });
  }

  private allowedMethods(path: string): string[] {
    const segments = path.split('/');
    const methods = this.routes.filter((route) => fits(route.segments, segments)).map((route) => route.method);
    return [...new Set(methods)].sort();
  }
}

function fits(pattern: string[], segments: string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) => part === segments[at] || (part.startsWith(':') && segments[at] !== ''))
  );
}
