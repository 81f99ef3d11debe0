import type { FieldError } from '@evenkeel/sdk/contract';
import { contrast } from './contrast.js';
import { checkMembers, Findings, flag, isObject, type Rule, rules, text } from './field-rules.js';
import { said } from './field-sentences.js';

/** What an installation is called at the top of every page of the console, so that nobody takes one for another. */
export interface Environment {
  name: string;
  /** `#rrggbb`. */
  colour: string;
  /** Marked by a stripe across the page too. */
  production: boolean;
}

/** What it stands on: the top bar in the light and in the dark theme. */
export const BARS = { light: '#ffffff', dark: '#141414' } as const;
/** Least contrast of what is no text with what it stands on (WCAG 2.2, 1.4.11). Whatever has it in both themes bears black or white text. */
const LEAST = 3;
const NAME_LENGTH = 24;

const inBothThemes: Rule = (value, pointer, findings) => {
  if (typeof value !== 'string' || !/^#[0-9a-fA-F]{6}$/.test(value)) {
    findings.add(pointer, 'bad_format', said('colour_form'));
    return;
  }
  for (const [theme, bar] of Object.entries(BARS)) {
    const reached = contrast(value, bar);
    if (reached >= LEAST) continue;
    const told = said('contrast', { reached: Math.floor(reached * 10) / 10, theme, bar, least: LEAST });
    findings.add(pointer, 'out_of_range', told);
  }
};
const MEMBERS = rules({ name: text(NAME_LENGTH, /\S/, said('blank')), colour: inBothThemes, production: flag });

/** What of it breaks a rule; null is no environment. */
export function checkEnvironment(value: unknown, pointer: string): FieldError[] {
  const findings = new Findings();
  if (value === null) return [];
  if (!isObject(value)) findings.add(pointer, 'wrong_type', said('object_or_null'));
  else {
    checkMembers(value, MEMBERS, pointer, findings);
    for (const name of MEMBERS.keys())
      if (!Object.hasOwn(value, name)) findings.add(`${pointer}/${name}`, 'required', said('required'));
  }
  return findings.errors;
}

/** Black or white: what is read better on the colour. */
export const textOn = (colour: string): string =>
  contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000';
