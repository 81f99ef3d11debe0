import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export interface ConsoleFile {
  type: string;
  content: Buffer;
  encoding: 'br' | 'gzip' | null;
}

/**
 * The built console, read once at the start: only what was there then is ever served, so no path of a request becomes a path on
 * the disk.
 */
export class ConsoleFiles {
  private constructor(private readonly files: ReadonlyMap<string, Buffer>) {}

  /** Null if it was not built. */
  static read(folder: string): ConsoleFiles | null {
    if (!existsSync(join(folder, 'index.html'))) return null;
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = entries.map((entry) => join(entry.parentPath, entry.name));
    return new ConsoleFiles(new Map(paths.map((path) => [relative(folder, path).split(sep).join('/'), readFileSync(path)])));
  }

  /** By its path below the console, as small as the client can read it. */
  find(path: string, acceptEncoding: string): ConsoleFile | null {
    const plain = this.files.get(path);
    const type = TYPES[extname(path)];
    if (!plain || !type || path.endsWith('.html')) return null;
    for (const [encoding, suffix] of ENCODINGS) {
      const packed = new RegExp(`\\b${encoding}\\b`).test(acceptEncoding) ? this.files.get(`${path}${suffix}`) : undefined;
      if (packed) return { type, content: packed, encoding };
    }
    return { type, content: plain, encoding: null };
  }

  /** Name of the script its page starts with: another one with every build that changes anything. */
  get main(): string | null {
    const html = this.files.get('index.html')?.toString('utf8') ?? '';
    return /<script[^>]*\ssrc="[^"]*assets\/([^"/]+\.js)"/.exec(html)?.[1] ?? null;
  }

  /** The page with the address all its relative ones start from. */
  page(basePath: string): string {
    const html = (this.files.get('index.html') as Buffer).toString('utf8');
    return html.replace(/<head([^>]*)>/i, `<head$1><base href="${basePath}">`);
  }
}
