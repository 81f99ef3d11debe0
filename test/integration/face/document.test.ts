import { runInNewContext } from 'node:vm';
import { SIGN_SCRIPT } from '../../../src/openapi/document/page.js';
import vectors from '../../vectors/sign_vectors.json';
import { type Face, startFace } from './support/face.js';

let face: Face;
beforeAll(async () => {
  face = await startFace();
});
afterAll(() => face.close());
const get = (path: string) => face.raw(`GET ${path} HTTP/1.0\r\nhost: a\r\n\r\n`);

describe('the API page', () => {
  it('needs no signature, nothing inline and nothing foreign', async () => {
    const page = await get('/openapi/docs');
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("script-src 'self';");
    expect(page.text).not.toMatch(/<script>|<style>| on\w+=|https?:/);
    for (const [, path] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect([path, (await get(`/openapi/${path}`)).status]).toEqual([path, 200]);
    }
  });

  it('shows the document', async () => {
    const document = await get('/openapi/v1/openapi.json');
    expect(document).toMatchObject({ status: 200, json: { openapi: '3.1.0' } });
  });

  it('explains each problem at its type', async () => {
    expect((await get('/openapi/problems/nonce_reused')).json).toEqual({
      code: 'nonce_reused',
      status: 401,
      title: 'The nonce was used before',
      retryable: true,
    });
  });

  it.each([
    '/openapi/docs/package.json',
    '/openapi/docs/constructor',
    '/openapi/problems/__proto__',
    '/openapi/docs/..%2fpackage.json',
  ])('gives away nothing else: %s', async (path) => {
    expect((await get(path)).status).toBeGreaterThanOrEqual(400);
  });

  it.each(vectors.positive.map((vector) => [`${vector.id} ${vector.title}`, vector] as const))(
    'signs %s',
    async (_title, vector) => {
      const [path, ...rest] = vector.target.split('?');
      const input = {
        ...{ accessKey: vectors.accessKey, secret: vectors.secret, timestamp: String(vectors.timestamp), nonce: vector.nonce },
        ...{ method: vector.method, path, search: rest.length > 0 ? `?${rest.join('?')}` : '', body: vector.bodyUtf8 },
      };
      const signed = await runInNewContext(`${SIGN_SCRIPT}; signEk1(input)`, { input, crypto, TextEncoder });
      expect(signed.canonical).toBe(vector.canonical);
      expect(signed.headers['X-EK-Signature']).toBe(vector.signature);
    },
  );
});
