import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PROBLEM_CODES, type ProblemCode } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { AppError, PROBLEM_KINDS } from '../../platform/errors.js';
import { openApiText } from './make-document.js';
import { PAGE_SCRIPT, PAGE_STYLE, SIGN_SCRIPT } from './page.js';

export interface Asset {
  type: string;
  content: string | Buffer;
}
const OURS: Record<string, Asset> = {
  'page.css': { type: 'text/css; charset=utf-8', content: PAGE_STYLE },
  'page.js': { type: 'text/javascript; charset=utf-8', content: PAGE_SCRIPT },
  'sign.js': { type: 'text/javascript; charset=utf-8', content: SIGN_SCRIPT },
};
/** Files of swagger-ui-dist the page uses; nothing else of the package can be fetched. */
const THEIRS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** The document and its page, made or read when first asked for and kept. */
@Injectable()
export class DocumentService {
  private document: Promise<string> | undefined;
  private readonly assets = new Map<string, Asset>(Object.entries(OURS));

  text(): Promise<string> {
    this.document ??= openApiText();
    return this.document;
  }

  /** Throws AppError `not_found`. */
  async asset(name: string): Promise<Asset> {
    const known = this.assets.get(name);
    if (known) return known;
    const type = Object.hasOwn(THEIRS, name) ? THEIRS[name] : undefined;
    if (!type) throw new AppError('not_found', 'there is no such file');
    const asset = { type, content: await readFile(join(dirname(require.resolve('swagger-ui-dist/package.json')), name)) };
    this.assets.set(name, asset);
    return asset;
  }

  /** What a problem's `type` leads to. Throws AppError `not_found`. */
  problem(code: string): { code: ProblemCode; status: number; title: string; retryable: boolean } {
    const known = PROBLEM_CODES.find((candidate) => candidate === code);
    if (!known) throw new AppError('not_found', 'there is no such problem');
    return { code: known, ...PROBLEM_KINDS[known] };
  }
}
