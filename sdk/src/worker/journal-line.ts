/**
 * The journal's lines. Text, one record a line, so that a torn last line is recognised and left out:
 * `a <epoch ms> <key> <key> …` accepted orders · `r <key> <result as JSON>` a result · `k <key> <key> …` acknowledged results.
 */
export type JournalRecord =
  | { kind: 'accepted'; at: number; keys: string[] }
  | { kind: 'result'; key: string; json: string }
  | { kind: 'acknowledged'; keys: string[] };

export const acceptedLine = (at: number, keys: string[]): string => `a ${at} ${keys.join(' ')}\n`;
export const resultLine = (key: string, json: string): string => `r ${key} ${json}\n`;
export const acknowledgedLine = (keys: string[]): string => `k ${keys.join(' ')}\n`;

/** undefined for a line that is not whole or not of the journal. */
export function readLine(line: string): JournalRecord | undefined {
  const [kind, second = ''] = line.split(' ', 2);
  const rest = line.slice(2);
  if (kind === 'k') return { kind: 'acknowledged', keys: rest.split(' ') };
  if (kind === 'a') {
    const at = Number(second);
    return Number.isFinite(at) ? { kind: 'accepted', at, keys: line.split(' ').slice(2) } : undefined;
  }
  const json = line.slice(3 + second.length);
  if (kind !== 'r' || !json.endsWith('}')) return undefined;
  return { kind: 'result', key: second, json };
}
