import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { For } from '../audience.js';
import { FrontPage } from './front-page.js';
import { LANDING_POLICY, landingPage, preferredLanguage } from './landing-page.js';
import { RouteTable } from './route-table.js';

/** What a browser finds at `/`: the console, or, where it was not built, a page that says nothing about the installation. */
@For('public')
@Controller()
export class LandingController {
  constructor(
    private readonly routes: RouteTable,
    private readonly front: FrontPage,
  ) {}

  @Get()
  page(@Res({ passthrough: true }) reply: FastifyReply, @Headers('accept-language') acceptLanguage?: string): string {
    const console = this.front.page;
    reply.header('content-type', 'text/html; charset=utf-8');
    reply.header('content-security-policy', console?.policy ?? LANDING_POLICY);
    if (console) return console.html;
    reply.header('vary', 'accept-language');
    return landingPage(preferredLanguage(acceptLanguage), (path) => this.routes.serves('GET', path));
  }
}
