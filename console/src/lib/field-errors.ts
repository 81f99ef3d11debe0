import { ApiError } from '../api/client';

/** What the server said of single fields, as a form takes it: `/retry/delayMs` becomes `['retry', 'delayMs']`. */
export function fieldErrors(error: unknown): { name: string[]; errors: string[] }[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors
    .filter(({ pointer }) => pointer.startsWith('/') && !pointer.startsWith('/query/'))
    .map(({ pointer, message }) => ({
      name: pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
      errors: [message],
    }));
}
