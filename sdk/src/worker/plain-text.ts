/** What `read` gives, as text. Never throws: getters and `toString` of what handlers throw and log may. */
export function textOf(read: () => unknown): string {
  try {
    return String(read());
  } catch {
    return '[unreadable]';
  }
}
