import type { FieldError, FieldErrorCode } from '@evenkeel/sdk/contract';
import { isNoWorkerAddress } from '../decisions/address-class.js';
import { literalAddress } from '../decisions/callback-url.js';
import { isWholeText } from '../decisions/whole-text.js';

interface Range {
  min?: number;
  max?: number;
}

/** More than this many errors of one message help nobody. */
const ERRORS_NAMED = 20;
const URL_LENGTH = 512;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\0-\x1f\x7f]/;
const NOT_SHOWN = /[\0-\x20\x7f]/;

/** One value of a message, its JSON pointer, and where its errors go. A value that broke one rule is not asked about others. */
export class FieldCheck {
  constructor(
    readonly value: unknown,
    private readonly pointer: string,
    private readonly errors: FieldError[],
  ) {}

  at(field: string): FieldCheck {
    const value = (this.value as Record<string, unknown>)[field];
    return new FieldCheck(value, `${this.pointer}/${escaped(field)}`, this.errors);
  }

  /** Undefined if the field is absent. */
  optional(field: string): FieldCheck | undefined {
    const check = this.at(field);
    return check.value === undefined ? undefined : check;
  }

  object(rules: (check: FieldCheck) => void): void {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value))
      this.fail('type', 'must be an object');
    else rules(this);
  }

  map(rules: (item: FieldCheck) => void): void {
    this.object(() => {
      for (const field of Object.keys(this.value as object)) rules(this.at(field));
    });
  }

  /** No two items of the list have the same key. Says so at the later one. Items without a key are for other rules to refuse. */
  distinct(field: string, keyOf: (item: unknown) => unknown): void {
    const { value, pointer } = this.at(field);
    if (!Array.isArray(value)) return;
    const seen = new Set<unknown>();
    for (const [i, item] of value.entries()) {
      const key = keyOf(item);
      if (typeof key !== 'string') continue;
      if (seen.has(key)) new FieldCheck(item, `${pointer}/${i}`, this.errors).fail('duplicate', 'is there twice');
      seen.add(key);
    }
  }

  list(field: string, count: { min: number; max: number }, rules: (item: FieldCheck) => void): void {
    const { value, pointer } = this.at(field);
    const fail = (code: FieldErrorCode, message: string) => this.at(field).fail(code, message);
    if (value === undefined) fail('required', 'is required');
    else if (!Array.isArray(value)) fail('type', 'must be an array');
    else if (value.length < count.min) fail('too_few', `must have at least ${count.min} items`);
    else if (value.length > count.max) fail('too_many', `must have at most ${count.max} items`);
    else for (let i = 0; i < value.length; i++) rules(new FieldCheck(value[i], `${pointer}/${i}`, this.errors));
  }

  /** As `text`, of which people shall see each character: no control characters, no half of a surrogate pair, not blanks alone. */
  name(range: Range): void {
    const { value } = this;
    if (typeof value !== 'string' || value === '') this.text(range);
    else if (CONTROL.test(value) || !isWholeText(value))
      this.fail('characters', 'may hold only whole characters that can be shown');
    else if (value.trim() === '') this.fail('characters', 'must not be blank');
    else this.text(range);
  }

  text({ min = 1, max, ascii = false }: Range & { ascii?: boolean }): void {
    const { value } = this;
    if (typeof value !== 'string') this.wrongType('a string');
    else if (value.length < min) this.fail('too_short', min === 1 ? 'must not be empty' : `must have at least ${min} characters`);
    else if (max !== undefined && value.length > max) this.fail('too_long', `must have at most ${max} characters`);
    else if (ascii && !/^[\x21-\x7e]*$/.test(value)) this.fail('characters', 'may hold only printable ASCII without blanks');
  }

  matching(pattern: RegExp, message: string): void {
    if (typeof this.value !== 'string') this.wrongType('a string');
    else if (!pattern.test(this.value)) this.fail('pattern', message);
  }

  oneOf(values: readonly string[]): void {
    if (typeof this.value !== 'string') this.wrongType('a string');
    else if (!values.includes(this.value)) this.fail('unknown_value', `must be one of ${values.join(', ')}`);
  }

  integer(range: Range): void {
    if (typeof this.value !== 'number') this.wrongType('an integer');
    else if (!Number.isSafeInteger(this.value)) this.fail('type', 'must be an integer');
    else this.inside(this.value, range);
  }

  number(range: Range): void {
    if (typeof this.value !== 'number') this.wrongType('a number');
    else if (!Number.isFinite(this.value)) this.fail('type', 'must be a finite number');
    else this.inside(this.value, range);
  }

  boolean(): void {
    if (typeof this.value !== 'boolean') this.wrongType('true or false');
  }

  /** An absolute http(s) address without credentials, query or fragment, of one machine. */
  workerUrl(): void {
    const { value } = this;
    if (typeof value !== 'string' || value === '' || value.length > URL_LENGTH) {
      this.text({ max: URL_LENGTH });
      return;
    }
    const url = URL.canParse(value) ? new URL(value) : null;
    const address = url && literalAddress(url.hostname);
    if (NOT_SHOWN.test(value)) this.fail('url', 'may not hold blanks or control characters');
    else if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) this.fail('url', 'must be an http or https URL');
    else if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
      this.fail('url', 'may not hold credentials, a query or a fragment');
    else if (url.port === '0') this.fail('url', 'may not name port 0');
    else if (address && isNoWorkerAddress(address))
      this.fail('address', 'may not be an unspecified, link-local, metadata, multicast or broadcast address');
  }

  fail(code: FieldErrorCode, message: string): void {
    if (this.errors.length < ERRORS_NAMED) this.errors.push({ pointer: this.pointer, code, message });
  }

  private wrongType(wanted: string): void {
    if (this.value === undefined) this.fail('required', 'is required');
    else this.fail('type', `must be ${wanted}, not ${typeName(this.value)}`);
  }

  private inside(value: number, { min, max }: Range): void {
    if (min !== undefined && value < min) this.fail('too_small', `must be at least ${min}`);
    else if (max !== undefined && value > max) this.fail('too_large', `must be at most ${max}`);
  }
}

const escaped = (field: string): string => field.replaceAll('~', '~0').replaceAll('/', '~1');

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
