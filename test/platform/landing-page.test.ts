import { createHash } from 'node:crypto';
import { LANDING_POLICY, landingPage, preferredLanguage } from '../../src/platform/http/landing-page.js';

describe('the page of a node without a console', () => {
  it('runs no script, and its one style is the one its policy allows', () => {
    for (const language of ['en', 'zh-CN'] as const) {
      const html = landingPage(language, () => true);
      expect(html).toContain(`lang="${language}"`);
      expect(html).not.toMatch(/<script|http-equiv|\son\w+=/i);
      const style = html.match(/<style>(.*)<\/style>/s)?.[1] as string;
      expect(LANDING_POLICY).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    }
  });

  it('links to nothing this node does not serve', () => {
    expect(landingPage('en', (path) => path === '/readyz').match(/href="[^"]+"/g)).toEqual(['href="/readyz"']);
  });

  it.each([
    ['zh-CN,zh;q=0.9,en;q=0.8', 'zh-CN'],
    ['en;q=0.5,zh;q=0.8', 'zh-CN'],
    ['zh;q=0,en', 'en'],
    ['fr, de', 'en'],
    [undefined, 'en'],
  ])('is in the language asked for: %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});
