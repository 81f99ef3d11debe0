/** Marks that turn the order in which what follows them is shown, up to the end of its line: unseen, they make one text read as another. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;
const hexOf = (mark: string): string => mark.charCodeAt(0).toString(16);

/** The text with each of them as its name. For looking at: what is copied or edited keeps the marks. */
export const marksShown = (text: string): string => text.replace(TURNING, (mark) => `⟨U+${hexOf(mark).toUpperCase()}⟩`);

/** JSON that means the same, with each of them as its escape: they can only stand in strings. */
export const marksEscaped = (json: string): string => json.replace(TURNING, (mark) => `\\u${hexOf(mark)}`);

/** Which of them the text has and where: lines and characters from one, no more than so many. */
export function marksIn(text: string, most = 10): { mark: string; line: number; column: number }[] {
  const found: { mark: string; line: number; column: number }[] = [];
  for (const { 0: mark, index } of text.matchAll(TURNING)) {
    if (found.length === most) break;
    const before = text.slice(0, index).split('\n');
    found.push({ mark: `U+${hexOf(mark).toUpperCase()}`, line: before.length, column: (before.at(-1) ?? '').length + 1 });
  }
  return found;
}
