import { PROBLEM_CODES } from '@evenkeel/sdk/contract';
import { SAMPLE_FILES } from './code-samples.js';
import { problemEntry, problemRows } from './problem-guide.js';

const FILES = Object.keys(SAMPLE_FILES)
  .map((name) => `<a href="docs/${name}">${name}</a>`)
  .join(', ');

/** The page at /openapi/docs. Nothing inline and nothing foreign: its policy allows neither. Links are relative, so a public prefix works. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evenkeel partner API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
<link rel="icon" href="docs/favicon-32x32.png">
</head>
<body>
<form id="signing" autocomplete="off">
<strong>Sign requests from this page</strong>
<label>Access key <input id="access-key" placeholder="ak_test_…" spellcheck="false"></label>
<label>Secret <input id="secret" type="password" placeholder="sk_test_…" spellcheck="false"></label>
<output id="signing-state">Both stay in this page and are gone when you leave it. Test keys only.</output>
</form>
<nav><a href="#quick-start">Quick start</a> <a href="#debugger">Signing debugger</a> <a href="#samples">Code samples</a> <a href="#problems">Errors</a>
<a href="#api">Operations</a> <a href="v1/openapi.json">openapi.json</a></nav>
<main class="prose">
<section id="quick-start"><h2>Quick start</h2>
<ol>
<li>Get a test key from your operator (<code>npx evenkeel keys create --app you --mode test</code>), or run <code>npm run quickstart</code> on your machine.</li>
<li>Fetch a signing sample: ${FILES}. Set <code>EVENKEEL_URL</code>, <code>EVENKEEL_ACCESS_KEY</code> and <code>EVENKEEL_SECRET_KEY</code>.</li>
<li>Prove the signature: <code>sh ek1.sh GET /openapi/v1/me</code> tells who you are, what you may do and what time it is here.</li>
<li>Submit: <code>sh ek1.sh POST /openapi/v1/tasks '{"handler":"echo","params":{"hello":"world"},"clientRequestId":"first-1"}'</code>. Repeat it as
often as you like: it is one task.</li>
<li>Wait for the end: <code>sh ek1.sh GET '/openapi/v1/tasks/&lt;id&gt;?wait=30'</code>.</li>
</ol></section>
<section id="debugger"><h2>Signing debugger</h2>
<p>Paste a request as it goes over the wire: request line, headers, an empty line, body. Nothing leaves this page.</p>
<textarea id="debug-request" rows="9" spellcheck="false" placeholder="POST /openapi/v1/tasks HTTP/1.1&#10;X-EK-Access-Key: ak_test_…&#10;X-EK-Timestamp: 1767225600&#10;X-EK-Nonce: …&#10;X-EK-Signature: v1=…&#10;&#10;{&quot;handler&quot;:&quot;echo&quot;}"></textarea>
<p><button id="debug-run" type="button">Show the canonical string</button> <output id="debug-state"></output></p>
<pre id="debug-canonical" tabindex="0"></pre></section>
<section id="samples"><h2>Code samples</h2>
<p><label>Operation <select id="sample-operation"></select></label> <label>Language <select id="sample-language"></select></label></p>
<pre id="sample-source" tabindex="0"></pre></section>
<section id="problems"><h2>Errors</h2>
<div class="wide"><table><thead><tr><th>HTTP</th><th>code</th><th>cause</th><th>what to do</th><th>repeat?</th></tr></thead><tbody>
${problemRows(PROBLEM_CODES.map(problemEntry))}
</tbody></table></div></section>
</main>
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/sign.js"></script>
<script src="docs/debugger.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`;

export const PAGE_STYLE = `
body { margin: 0; font-family: sans-serif; }
#signing { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; padding: 12px 24px; background: #f4f6f8; border-bottom: 1px solid #d5dbe1; }
#signing input { width: 20em; max-width: 100%; padding: 4px 6px; }
#signing-state { color: #4a5560; font-size: 13px; }
nav { padding: 12px 24px; } nav a { margin-right: 16px; }
.prose { max-width: 72rem; margin: 0 auto; padding: 0 24px; line-height: 1.5; color: #1c2330; }
.prose textarea { width: 100%; box-sizing: border-box; font-family: monospace; }
.prose pre { background: #f4f6f8; padding: 12px; overflow-x: auto; min-height: 1.5em; }
.prose .wide { overflow-x: auto; } .prose table { border-collapse: collapse; font-size: 14px; }
.prose th, .prose td { text-align: left; vertical-align: top; padding: 6px 8px; border-bottom: 1px solid #d5dbe1; }
.swagger-ui .auth-wrapper, .swagger-ui .scheme-container { display: none; }
`;

export const PAGE_SCRIPT = `
window.ui = SwaggerUIBundle({
  url: 'v1/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  persistAuthorization: false,
  requestInterceptor: async (request) => {
    const state = document.getElementById('signing-state');
    const accessKey = document.getElementById('access-key').value.trim();
    const secret = document.getElementById('secret').value.trim();
    if (request.loadSpec || !accessKey || !secret) return request;
    if (!accessKey.startsWith('ak_test_') || secret.startsWith('sk_live_')) {
      state.textContent = 'Not signed: this page takes test keys only.';
      return request;
    }
    if (!window.crypto || !window.crypto.subtle) {
      state.textContent = 'Not signed: browsers sign on https or localhost only.';
      return request;
    }
    const url = new URL(request.url, location.href);
    const signed = await signEk1({ accessKey, secret, method: request.method || 'GET', path: url.pathname, search: url.search, body: request.body || '' });
    Object.assign(request.headers, signed.headers);
    state.textContent = 'Signed ' + signed.canonical.split('\\n').slice(4, 6).join(' ') + '.';
    return request;
  },
});
`;

/** What the debugger and the samples show. Texts go into the page as text, never as markup. */
export const DEBUGGER_SCRIPT = `
/** Reads a request as it goes over the wire and says what is signed of it; with the secret, whether its signature is right. */
async function explainRequest(text, secret) {
  const [head, ...rest] = text.replaceAll('\\r\\n', '\\n').replace(/^\\n+/, '').split('\\n\\n');
  const body = rest.join('\\n\\n');
  const [line = '', ...headerLines] = head.split('\\n');
  const [method = '', target = ''] = line.trim().split(/\\s+/);
  if (!/^[A-Z]+$/.test(method) || !target.startsWith('/')) throw new Error('The first line must be: METHOD /path HTTP/1.1');
  const headers = Object.fromEntries(headerLines.map((one) => [one.slice(0, one.indexOf(':')).trim().toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]));
  const stated = (name) => headers[name] || '';
  const missing = ['x-ek-access-key', 'x-ek-timestamp', 'x-ek-nonce'].filter((name) => !headers[name]);
  if (missing.length > 0) throw new Error('Missing: ' + missing.join(', '));
  const mark = target.indexOf('?');
  const signed = await signEk1({
    accessKey: stated('x-ek-access-key'), timestamp: stated('x-ek-timestamp'), nonce: stated('x-ek-nonce'), secret: secret || '-',
    method, path: mark < 0 ? target : target.slice(0, mark), search: mark < 0 ? '' : target.slice(mark), body,
  });
  const signature = signed.headers['X-EK-Signature'];
  const verdict = !secret || !stated('x-ek-signature') ? null : signature === stated('x-ek-signature');
  return { canonical: signed.canonical, signature: secret ? signature : null, verdict };
}

if (typeof document !== 'undefined') {
  const element = (id) => document.getElementById(id);
  element('debug-run').addEventListener('click', async () => {
    const secret = element('secret').value.trim();
    const state = element('debug-state');
    try {
      if (secret.startsWith('sk_live_')) throw new Error('This page takes test keys only.');
      const { canonical, signature, verdict } = await explainRequest(element('debug-request').value, secret);
      element('debug-canonical').textContent = canonical;
      state.textContent = signature === null ? 'With the secret above, the signature is checked too.'
        : verdict === null ? 'The signature would be ' + signature : verdict ? 'The signature is right.' : 'Another signature: these bytes have ' + signature;
    } catch (error) {
      element('debug-canonical').textContent = '';
      state.textContent = error.message;
    }
  });
  const operations = element('sample-operation');
  const languages = element('sample-language');
  fetch('v1/openapi.json').then((answer) => answer.json()).then((openapi) => {
    const samples = new Map();
    for (const item of Object.values(openapi.paths)) for (const operation of Object.values(item))
      if (operation.operationId) samples.set(operation.operationId, operation['x-codeSamples'] || []);
    const option = (text) => Object.assign(document.createElement('option'), { value: text, textContent: text });
    operations.append(...[...samples.keys()].map(option));
    languages.append(...(samples.values().next().value || []).map(({ label }) => option(label)));
    const show = () => {
      const sample = (samples.get(operations.value) || []).find(({ label }) => label === languages.value);
      element('sample-source').textContent = sample ? sample.source : '';
    };
    operations.addEventListener('change', show);
    languages.addEventListener('change', show);
    show();
  });
}
`;

/** EK1 for browsers, as a global function: WebCrypto only, no dependency. Tested against the same vectors as the verifier. */
export const SIGN_SCRIPT = `
async function signEk1({ accessKey, secret, method, path, search, body, timestamp, nonce }) {
  const bytes = (text) => new TextEncoder().encode(text);
  const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const decode = (text) => decodeURIComponent(text.replaceAll('+', ' '));
  const encode = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const query = (search || '').replace(/^\\?/, '').split('&').filter(Boolean).map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? [encode(decode(pair)), ''] : [encode(decode(pair.slice(0, at))), encode(decode(pair.slice(at + 1)))];
  }).sort((a, b) => order(a[0], b[0]) || order(a[1], b[1])).map((pair) => pair.join('=')).join('&');
  const at = timestamp || String(Math.floor(Date.now() / 1000));
  const once = nonce || crypto.randomUUID();
  const digest = hex(await crypto.subtle.digest('SHA-256', bytes(body)));
  const canonical = ['EK1-HMAC-SHA256', accessKey, at, once, method.toUpperCase(), path, query, digest].join('\\n');
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = 'v1=' + hex(await crypto.subtle.sign('HMAC', key, bytes(canonical)));
  return {
    canonical,
    headers: { 'X-EK-Access-Key': accessKey, 'X-EK-Timestamp': at, 'X-EK-Nonce': once, 'X-EK-Signature': signature },
  };
}
`;
