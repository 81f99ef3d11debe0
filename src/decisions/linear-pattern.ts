/**
 * Patterns that people search logs with, matched in time that grows with the text and never with what is in it: the text of a log is
 * whatever a handler writes, and a backtracking matcher can be kept busy for hours by one line. Known: characters, `.`, `\d \w \s` and
 * their opposites, `[a-z]`, `[^a-z]`, `( | )`, `* + ? {n} {n,} {n,m}`, `^` and `$` for the ends of the text. The case of letters does
 * not count. Anything else (look-around, back references, `\b`) is no pattern.
 */
export type LinearPattern = (text: string) => boolean;

type Test = (code: number) => boolean;
type Tree =
  | { kind: 'test'; test: Test }
  | { kind: 'all'; parts: Tree[] }
  | { kind: 'any'; choices: Tree[] }
  | { kind: 'repeat'; part: Tree; least: number; most: number };

/** Where the text begins and ends, as characters no text has. */
const BEGIN = -1;
const END = -2;
const MOST_STATES = 1_000;
const MOST_REPEATS = 200;
const MOST_DEEP = 50;
/** Moves that are remembered before all are forgotten. */
const MOST_MOVES = 10_000;

/** Null if the text is no pattern, or one of more than a thousand states. Pure. */
export function linearPattern(text: string): LinearPattern | null {
  try {
    return matcher(compile(new Reader([...text]).whole()));
  } catch (error) {
    if (error instanceof NoPattern) return null;
    throw error;
  }
}

class NoPattern extends Error {}

const digit: Test = (code) => code >= 48 && code <= 57;
const word: Test = (code) => digit(code) || code === 95 || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
const space: Test = (code) => code >= 0 && /\s/.test(String.fromCodePoint(code));
const not =
  (test: Test): Test =>
  (code) =>
    code >= 0 && !test(code);
const KINDS: Record<string, Test> = { d: digit, w: word, s: space, D: not(digit), W: not(word), S: not(space) };
const CONTROLS: Record<string, string> = { t: '\t', n: '\n', r: '\r' };

/** In either case: texts are matched as they are. */
function oneOf(first: string, last = first): Test {
  const [from, to] = [codeOf(first), codeOf(last)];
  if (from > to) throw new NoPattern();
  const within: Test = (code) => code >= from && code <= to;
  return (code) => {
    if (code < 0) return false;
    if (within(code)) return true;
    const text = String.fromCodePoint(code);
    return within(codeOf(text.toLowerCase())) || within(codeOf(text.toUpperCase()));
  };
}
const codeOf = (text: string): number => text.codePointAt(0) ?? 0;

class Reader {
  private at = 0;
  private deep = 0;
  constructor(private readonly text: readonly string[]) {}

  whole(): Tree {
    const tree = this.choices();
    if (this.at < this.text.length) throw new NoPattern();
    return tree;
  }

  private choices(): Tree {
    if (++this.deep > MOST_DEEP) throw new NoPattern();
    const choices = [this.sequence()];
    while (this.take('|')) choices.push(this.sequence());
    this.deep -= 1;
    return choices.length === 1 ? (choices[0] as Tree) : { kind: 'any', choices };
  }

  private sequence(): Tree {
    const parts: Tree[] = [];
    while (this.at < this.text.length && !['|', ')'].includes(this.text[this.at] as string)) parts.push(this.repeated());
    return { kind: 'all', parts };
  }

  private repeated(): Tree {
    const part = this.single();
    const [least, most] = this.times();
    // How much a repetition takes does not change whether there is one.
    if (least !== 1 || most !== 1) this.take('?');
    return least === 1 && most === 1 ? part : { kind: 'repeat', part, least, most };
  }

  private times(): [least: number, most: number] {
    if (this.take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.take('?')) return [0, 1];
    const [whole, least, comma, most] = /^\{(\d{1,3})(,?)(\d{0,3})\}/.exec(this.text.slice(this.at, this.at + 9).join('')) ?? [];
    if (whole === undefined) return [1, 1];
    this.at += whole.length;
    const from = Number(least);
    const to = comma === '' ? from : most === '' ? Number.POSITIVE_INFINITY : Number(most);
    if (from > to || from > MOST_REPEATS || (to !== Number.POSITIVE_INFINITY && to > MOST_REPEATS)) throw new NoPattern();
    return [from, to];
  }

  private single(): Tree {
    const sign = this.next();
    if (sign === '(') return this.group();
    if (sign === '[') return { kind: 'test', test: this.set() };
    if (sign === '.') return { kind: 'test', test: (code) => code >= 0 && code !== 10 };
    if (sign === '^') return { kind: 'test', test: (code) => code === BEGIN };
    if (sign === '$') return { kind: 'test', test: (code) => code === END };
    if (sign === '\\') return { kind: 'test', test: this.escaped() };
    if ('*+?'.includes(sign)) throw new NoPattern();
    return { kind: 'test', test: oneOf(sign) };
  }

  private group(): Tree {
    if (this.take('?') && !this.take(':')) throw new NoPattern();
    const inside = this.choices();
    if (!this.take(')')) throw new NoPattern();
    return inside;
  }

  private escaped(): Test {
    const sign = this.next();
    const kind = KINDS[sign];
    return kind ?? oneOf(this.literal(sign));
  }

  private literal(sign: string): string {
    const control = CONTROLS[sign];
    if (control === undefined && /[A-Za-z0-9]/.test(sign)) throw new NoPattern();
    return control ?? sign;
  }

  private set(): Test {
    const opposite = this.take('^');
    const tests: Test[] = [];
    do tests.push(this.member());
    while (!this.take(']'));
    const some: Test = (code) => tests.some((test) => test(code));
    return opposite ? not(some) : some;
  }

  private member(): Test {
    const sign = this.next();
    const kind = sign === '\\' ? KINDS[this.text[this.at] ?? ''] : undefined;
    if (kind) {
      this.at += 1;
      return kind;
    }
    const first = sign === '\\' ? this.literal(this.next()) : sign;
    if (this.text[this.at] !== '-' || this.text[this.at + 1] === ']') return oneOf(first);
    this.at += 1;
    const last = this.next();
    return oneOf(first, last === '\\' ? this.literal(this.next()) : last);
  }

  private next(): string {
    const sign = this.text[this.at++];
    if (sign === undefined) throw new NoPattern();
    return sign;
  }

  private take(sign: string): boolean {
    if (this.text[this.at] !== sign) return false;
    this.at += 1;
    return true;
  }
}

/** A state that reads a character, or one that leads on without; -1 is the end. */
type State = { test: Test; to: number } | { to: number[] };
const FOUND = -1;

interface Machine {
  states: State[];
  start: number;
}

function compile(tree: Tree): Machine {
  const states: State[] = [];
  const add = (state: State): number => {
    if (states.length >= MOST_STATES) throw new NoPattern();
    return states.push(state) - 1;
  };
  /** The state in which the tree begins, if `to` is where it leads. */
  const build = (part: Tree, to: number): number => {
    switch (part.kind) {
      case 'test':
        return add({ test: part.test, to });
      case 'all':
        return part.parts.reduceRight((after, each) => build(each, after), to);
      case 'any':
        return add({ to: part.choices.map((each) => build(each, to)) });
      case 'repeat':
        return repeat(part, to);
    }
  };
  const repeat = ({ part, least, most }: Extract<Tree, { kind: 'repeat' }>, to: number): number => {
    let after = to;
    if (most === Number.POSITIVE_INFINITY) {
      const loop = { to: [to] };
      after = add(loop);
      loop.to.push(build(part, after));
    } else for (let n = least; n < most; n++) after = add({ to: [to, build(part, after)] });
    for (let n = 0; n < least; n++) after = build(part, after);
    return after;
  };
  return { start: build(tree, FOUND), states };
}

/** A set of states in which the machine may be, and where each character has led from it. */
interface Place {
  ids: number[];
  found: boolean;
  moves: Map<number, Place>;
}

function matcher({ states, start }: Machine): LinearPattern {
  let places = new Map<string, Place>();
  let moves = 0;
  const placeOf = (from: readonly number[]): Place => {
    const ids = new Set<number>();
    const open = [...from];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (ids.has(id)) continue;
      ids.add(id);
      const state = states[id];
      if (state && !('test' in state)) open.push(...state.to);
    }
    const sorted = [...ids].sort((a, b) => a - b);
    const name = sorted.join(' ');
    const known = places.get(name);
    if (known) return known;
    const place = { ids: sorted, found: ids.has(FOUND), moves: new Map<number, Place>() };
    places.set(name, place);
    return place;
  };
  const move = (place: Place, code: number): Place => {
    const known = place.moves.get(code);
    if (known) return known;
    if (++moves > MOST_MOVES) {
      moves = 0;
      places = new Map();
    }
    // A match may begin anywhere.
    const next = placeOf([start, ...place.ids.flatMap((id) => leadsTo(states[id], code))]);
    place.moves.set(code, next);
    return next;
  };
  return (text) => {
    let place = move(placeOf([start]), BEGIN);
    for (const sign of text) {
      if (place.found) return true;
      place = move(place, codeOf(sign));
    }
    return place.found || move(place, END).found;
  };
}

const leadsTo = (state: State | undefined, code: number): number[] =>
  state !== undefined && 'test' in state && state.test(code) ? [state.to] : [];
