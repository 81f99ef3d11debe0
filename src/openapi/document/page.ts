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
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/sign.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`;

export const PAGE_STYLE = `
body { margin: 0; font-family: sans-serif; }
#signing { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; padding: 12px 24px; background: #f4f6f8; border-bottom: 1px solid #d5dbe1; }
#signing input { width: 20em; padding: 4px 6px; }
#signing-state { color: #4a5560; font-size: 13px; }
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
