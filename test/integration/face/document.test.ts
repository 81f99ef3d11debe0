import { runInNewContext } from 'node:vm';
import { PROBLEM_CODES } from '@evenkeel/sdk/contract';
import { DEBUGGER_SCRIPT, SIGN_SCRIPT } from '../../../src/openapi/document/page.js';
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
    for (const [, path] of page.text.matchAll(/(?:src|href)="([^"#]+)"/g)) {
      expect([path, (await get(`/openapi/${path}`)).status]).toEqual([path, 200]);
    }
  });

  it('shows the document', async () => {
    const document = await get('/openapi/v1/openapi.json');
    expect(document).toMatchObject({ status: 200, json: { openapi: '3.1.0' } });
  });

  it('explains each problem at its type', async () => {
    for (const code of PROBLEM_CODES) {
      const entry = (await get(`/openapi/problems/${code}`)).json;
      expect(entry).toMatchObject({ code, status: expect.any(Number), retryable: expect.any(Boolean) });
      for (const member of ['title', 'cause', 'fix']) expect([code, entry[member].length > 5]).toEqual([code, true]);
      const page = await face.raw(`GET /openapi/problems/${code} HTTP/1.0\r\nhost: a\r\naccept: text/html,*/*\r\n\r\n`);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.text).toContain(`<code>${code}</code>`);
    }
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

  it.each(vectors.positive.filter(({ bodyUtf8 }) => !bodyUtf8.includes('\r')).map((vector) => [vector.id, vector] as const))(
    'shows what is signed of %s, and whether its signature is right',
    async (_id, { method, target, headers, bodyUtf8, canonical }) => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      const text = `${method} ${target} HTTP/1.1\n${lines.join('\n')}\n\n${bodyUtf8}`;
      const explain = (secret: string) =>
        runInNewContext(`${SIGN_SCRIPT}; ${DEBUGGER_SCRIPT}; explainRequest(text, secret)`, {
          text,
          secret,
          crypto,
          TextEncoder,
        });
      expect(await explain(vectors.secret)).toMatchObject({ canonical, verdict: true });
      expect(await explain('sk_test_another')).toMatchObject({ canonical, verdict: false });
      expect(await explain('')).toMatchObject({ canonical, signature: null, verdict: null });
    },
  );

  it('offers the signing samples, and shows each operation in five languages', async () => {
    for (const name of ['ek1.sh', 'ek1.mjs', 'ek1.py', 'Ek1.java', 'ek1.go'])
      expect((await get(`/openapi/docs/${name}`)).text).toContain('EK1-HMAC-SHA256');
    const { paths } = (await get('/openapi/v1/openapi.json')).json as {
      paths: Record<string, Record<string, { 'x-codeSamples': { label: string }[] }>>;
    };
    for (const item of Object.values(paths))
      for (const operation of Object.values(item))
        expect(operation['x-codeSamples'].map(({ label }) => label)).toEqual(['curl', 'Node', 'Python', 'Java', 'Go']);
  });
});
