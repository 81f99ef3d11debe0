import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'evenkeel_session';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The token the browser sent; undefined if it sent none that can be one of ours. */
export function sessionToken(request: FastifyRequest): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === NAME && TOKEN.test(value)) return value;
  }
  return undefined;
}

/** Only http requests to this host and path carry it, no script reads it, no other site sends it; over https it never goes out bare. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, path: string, token: string | null): void {
  const age = token === null ? '; Max-Age=0' : '';
  const secure = request.protocol === 'https' ? '; Secure' : '';
  reply.header('set-cookie', `${NAME}=${token ?? ''}; Path=${path}; HttpOnly; SameSite=Strict${secure}${age}`);
}
