/** Does nothing at once: for measuring and for first tries. */
export const noop = (): null => null;
