import { Controller, Get, Header, Headers } from '@nestjs/common';
import { For } from '../audience.js';
import { LANDING_POLICY, landingPage, preferredLanguage } from './landing-page.js';
import { RouteTable } from './route-table.js';

/** What a browser finds at `/` until the console is there. Says nothing about the installation. */
@For('public')
@Controller()
export class LandingController {
  constructor(private readonly routes: RouteTable) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', LANDING_POLICY)
  @Header('vary', 'accept-language')
  page(@Headers('accept-language') acceptLanguage?: string): string {
    return landingPage(preferredLanguage(acceptLanguage), (path) => this.routes.serves('GET', path));
  }
}
