export const PASSWORD = 'correct horse battery';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into from every side
  json: any;
}

/** One browser: keeps its cookie, says where its requests come from. */
export class AdminBrowser {
  cookie: string | undefined;

  constructor(
    readonly url: string,
    readonly headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
  ) {}

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...this.headers,
        ...(this.cookie ? { cookie: this.cookie } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const set = response.headers.get('set-cookie');
    if (set) this.cookie = set.split(';', 1)[0];
    const text = await response.text();
    const isJson =
      response.headers.get('content-type')?.includes('json') && !response.headers.get('content-type')?.includes('ndjson');
    return { status: response.status, headers: response.headers, text, json: isJson && text ? JSON.parse(text) : undefined };
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.call('GET', path, undefined, headers);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.call('POST', path, body, headers);
  }
}
