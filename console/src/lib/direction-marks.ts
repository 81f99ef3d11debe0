/** Marks that turn the order in which what follows them is shown, up to the end of its line: unseen, they make one text read as another. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;
const hexOf = (mark: string): string => mark.charCodeAt(0).toString(16);

/** The text with each of them as its name. For looking at: what is copied or edited keeps the marks. */
export const marksShown = (text: string): string => text.replace(TURNING, (mark) => `⟨U+${hexOf(mark).toUpperCase()}⟩`);

/** JSON that means the same, with each of them as its escape: they can only stand in strings. */
export const marksEscaped = (json: string): string => json.replace(TURNING, (mark) => `\\u${hexOf(mark)}`);
