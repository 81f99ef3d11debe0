/** Half a surrogate pair is no character: some databases store another text for it, and strict readers of JSON refuse its escape. */
const HALF_PAIR = /\p{Surrogate}/u;
export const isWholeText = (text: string): boolean => !HALF_PAIR.test(text);

/** With the replacement character for each half, which a cut leaves at the end. */
export const wholeText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** Pairs, halves, and every other escape, so that a backslash which is text itself is not taken for the beginning of one. */
const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)/g;

/** The same of JSON text, in which a half can only be an escape; it is otherwise left as it is written. */
export const wholeJson = (json: string): string =>
  /\\u[dD][89a-fA-F]/.test(json) ? json.replace(ESCAPES, (found, half) => (half ? '\ufffd' : found)) : json;
