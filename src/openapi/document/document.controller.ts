import { Controller, Get, Header, Headers, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { For } from '../../platform/audience.js';
import { DocumentService } from './document.service.js';
import { PAGE } from './page.js';
import { problemPage } from './problem-guide.js';

/** Swagger UI sets style attributes; scripts come from here and nowhere else. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The API page and what it shows. Unsigned: there is nothing of anybody's in it. */
@For('public')
@Controller('openapi')
export class DocumentController {
  constructor(private readonly documents: DocumentService) {}

  @Get('v1/openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  document() {
    return this.documents.text();
  }

  @Get('docs')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  page() {
    return PAGE;
  }

  @Get('docs/:name')
  async asset(@Param('name') name: string, @Res({ passthrough: true }) reply: FastifyReply) {
    const { type, content } = await this.documents.asset(name);
    reply.headers({ 'content-type': type, 'cache-control': 'public, max-age=3600' });
    return content;
  }

  /** For people a page, for programs the same as JSON. */
  @Get('problems/:code')
  @Header('vary', 'accept')
  problem(
    @Param('code') code: string,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const entry = this.documents.problem(code);
    if (!accept?.includes('text/html')) return entry;
    reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY });
    return problemPage(entry);
  }
}
