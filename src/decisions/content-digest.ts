import { createHash } from 'node:crypto';

// RFC 9530: a dictionary (RFC 8941) whose members are byte sequences, each perhaps with parameters.
const KEY = '[a-z*][a-z0-9_.*-]*';
const ITEM = [
  String.raw`"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"`,
  ':[A-Za-z0-9+/]*={0,2}:',
  String.raw`-?\d{1,15}(?:\.\d{1,3})?`,
  String.raw`\?[01]`,
  "[A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_`|~-]*",
].join('|');
const MEMBER = new RegExp(`(${KEY})=:([A-Za-z0-9+/]*={0,2}):(?:; *${KEY}(?:=(?:${ITEM}))?)*`, 'y');
const COMMA = /[ \t]*,[ \t]*/y;

/**
 * Why a body is not what its Content-Digest says; null if it is, or if the header is absent or states no SHA-256 of it. Parameters
 * change nothing, and of several members with one name the last counts, as in every such dictionary. What is no dictionary is
 * refused rather than passed over: who sends one wants to be told when it does not protect.
 */
export function digestFault(header: string | string[] | undefined, body: Uint8Array): string | null {
  if (header === undefined) return null;
  const stated = membersOf(String(header).trim());
  if (!stated) return 'Content-Digest is malformed: it must be sha-256=:<base64>:';
  const sha256 = stated.get('sha-256');
  if (sha256 === undefined) return null;
  const isEqual = Buffer.from(sha256, 'base64').equals(createHash('sha256').update(body).digest());
  return isEqual ? null : 'the body that arrived is not the one Content-Digest describes';
}

function membersOf(text: string): Map<string, string> | null {
  const members = new Map<string, string>();
  if (text === '') return members;
  for (let at = 0; ; ) {
    MEMBER.lastIndex = at;
    const member = MEMBER.exec(text);
    if (!member) return null;
    members.set(member[1] as string, member[2] as string);
    if (MEMBER.lastIndex === text.length) return members;
    COMMA.lastIndex = MEMBER.lastIndex;
    if (!COMMA.test(text)) return null;
    at = COMMA.lastIndex;
  }
}
