/** Each job, and the jobs it waits for. */
export type UpstreamsOf = ReadonlyMap<string, readonly string[]>;

/**
 * The circle that closes if `id` waited for `upstreams`: from `id` along the waits back to `id`, or null if there is none. Visits
 * every job once and without recursion, so a thousand of them in a row are no trouble.
 */
export function circleThrough(id: string, upstreams: readonly string[], graph: UpstreamsOf): string[] | null {
  const cameFrom = new Map<string, string>();
  const open: string[] = [];
  const visit = (next: string, from: string): void => {
    if (cameFrom.has(next)) return;
    cameFrom.set(next, from);
    open.push(next);
  };
  for (const upstream of upstreams) visit(upstream, id);
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    if (at === id) return wayTo(id, cameFrom);
    for (const upstream of graph.get(at) ?? []) visit(upstream, at);
  }
  return null;
}

function wayTo(id: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [id];
  for (let at = cameFrom.get(id) as string; at !== id; at = cameFrom.get(at) as string) way.push(at);
  way.push(id);
  return way.reverse();
}
