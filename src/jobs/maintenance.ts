/** A hold on the dispatch of all groups. Instants are epoch milliseconds. */
export interface Maintenance {
  reason: string;
  /** Null until it is released. */
  until: number | null;
  by: string;
  at: number;
}

export const isInForce = ({ until }: Pick<Maintenance, 'until'>, now: number): boolean => until === null || until > now;

/** As stored; a value that cannot be made out holds nothing. */
export function maintenanceOf(value: unknown): Maintenance | null {
  if (typeof value !== 'object' || value === null) return null;
  const { reason, until = null, by = '', at = 0 } = value as Partial<Maintenance>;
  return typeof reason === 'string' ? { reason, until, by, at } : null;
}

/** As a claim reads it from the row. What is no JSON holds nothing: it must not stop every claim. */
export function maintenanceIn(json: string | null): Maintenance | null {
  try {
    return json === null ? null : maintenanceOf(JSON.parse(json));
  } catch {
    return null;
  }
}
