import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PROBLEM_CODES } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { SAMPLE_FILES } from './code-samples.js';
import { openApiText } from './make-document.js';
import { DEBUGGER_SCRIPT, PAGE_SCRIPT, PAGE_STYLE, SIGN_SCRIPT } from './page.js';
import { type ProblemEntry, problemEntry } from './problem-guide.js';
import { readSampleFile } from './sample-files.js';

export interface Asset {
  type: string;
  content: string | Buffer;
}
const OURS: Record<string, Asset> = {
  'page.css': { type: 'text/css; charset=utf-8', content: PAGE_STYLE },
  'page.js': { type: 'text/javascript; charset=utf-8', content: PAGE_SCRIPT },
  'debugger.js': { type: 'text/javascript; charset=utf-8', content: DEBUGGER_SCRIPT },
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
  private document: string | undefined;
  private readonly assets = new Map<string, Asset>(Object.entries(OURS));

  constructor(private readonly config: Config) {}

  /** Names the server as partners reach it: they call, and sign, the path with the public prefix. */
  text(): string {
    this.document ??= openApiText(this.config.openapiPublicPrefix || '/');
    return this.document;
  }

  /** Throws AppError `not_found`. */
  async asset(name: string): Promise<Asset> {
    const known = this.assets.get(name);
    if (known) return known;
    const asset = await assetOf(name);
    this.assets.set(name, asset);
    return asset;
  }

  /** What a problem's `type` leads to. Throws AppError `not_found`. */
  problem(code: string): ProblemEntry {
    const known = PROBLEM_CODES.find((candidate) => candidate === code);
    if (!known) throw new AppError('not_found', 'there is no such problem');
    return problemEntry(known);
  }
}

async function assetOf(name: string): Promise<Asset> {
  const sample = Object.hasOwn(SAMPLE_FILES, name) ? SAMPLE_FILES[name] : undefined;
  if (sample) return { type: sample, content: await readSampleFile(name) };
  const type = Object.hasOwn(THEIRS, name) ? THEIRS[name] : undefined;
  if (!type) throw new AppError('not_found', 'there is no such file');
  return { type, content: await readFile(join(dirname(require.resolve('swagger-ui-dist/package.json')), name)) };
}
