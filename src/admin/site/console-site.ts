import { join } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../platform/config.js';
import { FrontPage } from '../../platform/http/front-page.js';
import { programPackage } from '../../platform/program-package.js';
import { ConsoleFiles } from './console-files.js';

/** No script but its own files, and no other page around it. Styles are set from script by the component library. */
export const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";
/** Never the console's, whatever it calls its pages. */
const OTHERS = /^\/(api|openapi|worker|healthz|readyz|metrics)(\/|$)/;
const A_YEAR = 'public, max-age=31536000, immutable';

/** Serves the built console: its files by their names, its page for every other path that a browser opens. */
@Injectable()
export class ConsoleSite implements OnModuleInit {
  private readonly files = ConsoleFiles.read(join(programPackage().root, 'dist', 'console'));

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly front: FrontPage,
    private readonly config: Config,
  ) {}

  /** Name of the console's main file; null if none is served. */
  get main(): string | null {
    return this.files?.main ?? null;
  }

  onModuleInit(): void {
    const { files } = this;
    if (files) this.serve(files, this.host.httpAdapter?.getInstance<FastifyInstance>());
  }

  serve(files: ConsoleFiles, instance: FastifyInstance | undefined): void {
    const html = files.page(this.config.publicPath);
    this.front.page = { html, policy: CONSOLE_POLICY };
    instance?.get('/*', (request, reply) => answer(files, html, request, reply));
  }
}

function answer(files: ConsoleFiles, html: string, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const path = (request.raw.url ?? '/').split('?', 1)[0] as string;
  if (OTHERS.test(path)) return void reply.callNotFound();
  const file = files.find(path.slice(1), String(request.headers['accept-encoding'] ?? ''));
  if (file) {
    reply.header('content-type', file.type).header('vary', 'accept-encoding');
    if (file.encoding) reply.header('content-encoding', file.encoding);
    return reply.header('cache-control', path.startsWith('/assets/') ? A_YEAR : 'no-cache').send(file.content);
  }
  if (!/text\/html/.test(request.headers.accept ?? '')) return void reply.callNotFound();
  return reply.header('content-type', 'text/html; charset=utf-8').header('content-security-policy', CONSOLE_POLICY).send(html);
}
