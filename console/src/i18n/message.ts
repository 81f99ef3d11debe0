/** English needs a form for one; Chinese does not. */
export type Message = string | { one: string; other: string };

/** The texts of one part of the console in both languages; a key missing in one does not compile. */
export function texts<const Keys extends string>(zh: Record<Keys, string>, en: Record<NoInfer<Keys>, Message>) {
  return { zh, en };
}
