import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger, NotFoundException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SqlDialect } from '../../ports.js';
import { Config } from '../config.js';
import { AnsweredRequests } from './answered-requests.js';
import { renderProblem } from './problem.js';
import { RouteTable } from './route-table.js';

/** The one place where an error becomes an answer. Whatever was thrown, the caller gets problem+json and no inner detail. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  constructor(
    private readonly dialect: SqlDialect,
    private readonly routes: RouteTable,
    private readonly config: Config,
    private readonly answered: AnsweredRequests,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const unrouted = error instanceof NotFoundException && request.is404;
    const problem = renderProblem(unrouted ? this.routes.explain(request.method, request.raw.url ?? '/') : error, {
      requestId: request.id,
      target: request.raw.url ?? '/',
      isDatabaseUnavailable: (cause) => this.dialect.isUnavailable(cause),
      isDatabaseContended: (cause) => this.dialect.isContention(cause),
      publicPrefix: this.config.openapiPublicPrefix,
      maxBytes: request.routeOptions?.bodyLimit,
    });
    if (problem.unforeseen) this.logger.error({ msg: 'request failed unexpectedly', requestId: request.id, err: error });
    if (reply.sent) return;
    this.answered.refused(request, problem.body);
    reply.code(problem.body.status).headers(problem.headers).send(JSON.stringify(problem.body));
  }
}
