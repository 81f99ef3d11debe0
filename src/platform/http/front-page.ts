import { Injectable } from '@nestjs/common';

/** What stands at `/` instead of the landing page, once somebody has put it there. */
@Injectable()
export class FrontPage {
  page: { html: string; policy: string } | undefined;
}
