/** A piece of a line as a terminal would colour it. */
export interface Piece {
  text: string;
  /** Class names, without what a terminal would do beyond colour and weight. */
  look: string;
}

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
/** Control sequences and titles of windows: none of them is ever shown. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const CONTROL = /\u001B(?:\[([0-9;:]*)([ -/]*[@-~])|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\^_])/g;

interface Look {
  color: string | null;
  bold: boolean;
}
const PLAIN: Look = { color: null, bold: false };

/** The text of a line in pieces. Backgrounds, blinking, movements of the cursor and the like are left out. */
export function ansiPieces(text: string): Piece[] {
  if (!text.includes('\u001B')) return [{ text, look: '' }];
  const pieces: Piece[] = [];
  let look = PLAIN;
  let from = 0;
  const push = (until: number) => {
    if (until > from) pieces.push({ text: text.slice(from, until), look: classOf(look) });
  };
  for (const match of text.matchAll(CONTROL)) {
    push(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm') look = lookAfter(look, (match[1] ?? '').split(/[;:]/).map(Number));
  }
  push(text.length);
  return pieces;
}

const classOf = ({ color, bold }: Look): string =>
  [color === null ? '' : `ansi-${color}`, bold ? 'ansi-bold' : ''].filter(Boolean).join(' ');

function lookAfter(before: Look, codes: readonly number[]): Look {
  let look = before;
  for (let n = 0; n < codes.length; n++) {
    const code = codes[n] as number;
    if (code === 0) look = PLAIN;
    else if (code === 1) look = { ...look, bold: true };
    else if (code === 22) look = { ...look, bold: false };
    else if (code === 39) look = { ...look, color: null };
    else if (code >= 30 && code <= 37) look = { ...look, color: NAMES[code - 30] ?? null };
    else if (code >= 90 && code <= 97) look = { ...look, color: NAMES[code - 90] ?? null };
    // What follows them says which of 256 colours or of all: they are not told apart here, and are no codes of their own.
    else if (code === 38 || code === 48) n += codes[n + 1] === 5 ? 2 : 4;
  }
  return look;
}
