/** Half a surrogate pair is no character: some databases store another text for it, and strict readers of JSON refuse its escape. */
const HALF_PAIR = /\p{Surrogate}/u;
export const isWholeText = (text: string): boolean => !HALF_PAIR.test(text);

/** With the replacement character for each half, which a cut leaves at the end. */
export const wholeText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');
