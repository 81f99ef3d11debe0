import { ansiPieces } from '../../console/src/lib/ansi.js';

const shown = (text: string) => ansiPieces(text).map(({ text, look }) => (look ? `<${look}>${text}` : text));

describe('a line with the codes of a terminal', () => {
  it('is told in pieces with their colours', () => {
    expect(shown('\u001B[31mred\u001B[0m then \u001B[1;92mgreen\u001B[39m bold\u001B[22m plain')).toEqual([
      '<ansi-red>red',
      ' then ',
      '<ansi-green ansi-bold>green',
      '<ansi-bold> bold',
      ' plain',
    ]);
  });

  it('loses colours of other kinds, movements, titles and links, and nothing of its text', () => {
    expect(
      shown(
        '\u001B[38;5;196ma\u001B[48;2;1;31;1mb\u001B[2J\u001B[10;5Hc\u001B]0;title\u0007d\u001B]8;;http://x\u001B\\e\u001B]unended',
      ).join(''),
    ).toBe('abcde');
    expect(shown('no code at all <b>')).toEqual(['no code at all <b>']);
    expect(shown('\u001B[m')).toEqual([]);
  });
});
