const WORKER = /"workerId"\s*:\s*"([\x21\x23-\x5b\x5d-\x7e]{1,64})"/g;
const INCARNATION = /"incarnation"\s*:\s*"([0-9A-HJKMNP-TV-Z]{26})"/g;

/**
 * Who wrote a message that is no JSON: what is named `workerId` and `incarnation` in it, if all that is named so is the same. It is a
 * claim like that of any message; whoever believes it asks whether the worker is of the key that signed. Pure.
 */
export function claimedIdentity(text: string): { workerId?: string; incarnation?: string } {
  return { workerId: onlyOne(text, WORKER), incarnation: onlyOne(text, INCARNATION) };
}

function onlyOne(text: string, pattern: RegExp): string | undefined {
  const [found, ...others] = new Set([...text.matchAll(pattern)].map(([, value]) => value));
  return others.length === 0 ? found : undefined;
}
