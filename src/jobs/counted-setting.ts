/** A setting with the number of its edits: an edit names the one it was made from. */
export interface CountedSetting {
  /** 0: never set. */
  version: number;
  value: unknown;
}

/** As stored; a row that cannot be made out counts as never set, and can be set. */
export function counted(stored: unknown): CountedSetting {
  const { version, value = null } = (stored ?? {}) as Partial<CountedSetting>;
  return Number.isInteger(version) ? { version: version as number, value } : { version: 0, value: null };
}
