import { Injectable, RequestMethod } from '@nestjs/common';
import { AudienceMarks } from '../../auth/audience-marks.js';
import { ANYONE, SIGNED_IN } from '../../platform/audience.js';
import { programPackage } from '../../platform/program-package.js';
import { ROUTES, type RouteShape } from './routes.js';

export interface ConsoleRoute {
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  needs: string;
}
const TAKES_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** The document of the admin API, made from the routes there are; apart from the partners' document, and without its promises. */
@Injectable()
export class AdminDocumentService {
  constructor(private readonly marks: AudienceMarks) {}

  routes(): ConsoleRoute[] {
    return this.marks.consoleRoutes().map(({ controllerPath, method, needs }) => {
      const verb = RequestMethod[Reflect.getMetadata('method', method) as number] as string;
      const own = Reflect.getMetadata('path', method) as string;
      const path = `/${controllerPath}/${own === '/' ? '' : own}`.replace(/\/+$/, '').replace(/:(\w+)/g, '{$1}');
      return { method: verb, path, needs: needs as string };
    });
  }

  document(): object {
    const paths: Record<string, Record<string, object>> = {};
    for (const { method, path, needs } of this.routes()) {
      paths[path] ??= {};
      (paths[path] as Record<string, object>)[method.toLowerCase()] = operation(method, path, needs, ROUTES[`${method} ${path}`]);
    }
    return {
      openapi: '3.1.0',
      info: {
        title: 'Evenkeel admin API',
        version: programPackage().version,
        description:
          'What the console stands on. Shapes are the TypeScript types of src/admin/contract, told in docs/admin-api.md.',
      },
      paths,
      components: {
        securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'evenkeel_session' } },
        responses: {
          Problem: {
            description: 'Refused: `code` says why.',
            content: {
              'application/problem+json': { schema: { type: 'object', required: ['code', 'status', 'detail', 'requestId'] } },
            },
          },
        },
      },
    };
  }
}

function operation(method: string, path: string, needs: string, shape: RouteShape | undefined): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = (shape?.query ?? []).map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
  const permission = needs === ANYONE || needs === SIGNED_IN ? null : needs;
  const success = shape?.answer
    ? { description: shape.answer, content: { 'application/json': { schema: { type: 'object', title: shape.answer } } } }
    : { description: 'Done.' };
  return {
    tags: [path.split('/')[2]],
    summary: shape?.summary ?? '',
    ...(permission ? { 'x-permission': permission } : {}),
    security: needs === ANYONE ? [] : [{ session: [] }],
    parameters: [...inPath, ...inQuery],
    ...(shape?.body && TAKES_BODY.has(method)
      ? { requestBody: { content: { 'application/json': { schema: { type: 'object', title: shape.body } } } } }
      : {}),
    responses: { [shape?.answer ? '2XX' : '204']: success, default: { $ref: '#/components/responses/Problem' } },
  };
}
