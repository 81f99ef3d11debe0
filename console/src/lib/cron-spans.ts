/** Every n-th of these numbers; a single one where they are equal. Only weekdays and months go on beyond the end of their field. */
export interface Span {
  from: number;
  to: number;
  step: number;
  /** In the order they come. */
  values: readonly number[];
}

const spanOf = (from: number, count: number, step: number, value = (n: number) => n): Span => ({
  from,
  to: from + (count - 1) * step,
  step,
  values: Array.from({ length: count }, (_, n) => value(from + n * step)),
});

/** A step that goes through all of these numbers, which are in order. */
export function progression(values: readonly number[]): Span | null {
  const [first, second] = values;
  if (first === undefined || second === undefined) return null;
  const step = second - first;
  return values.every((value, n) => value === first + n * step) ? spanOf(first, values.length, step) : null;
}

export const singles = (values: readonly number[]): Span[] => values.map((value) => spanOf(value, 1, 1));

/** Neighbours together, in order; `turning`: the first value follows the last one, as Sunday follows Saturday. */
export function runs(values: readonly number[], min: number, size: number, turning: boolean): Span[] {
  const has = new Set(values);
  const field = (n: number) => min + ((n - min) % size);
  const isIn = (n: number) => has.has(turning ? field(n + size) : n);
  const starts = has.size === size ? [min] : values.filter((value) => !isIn(value - 1));
  return starts.map((from) => {
    let count = 1;
    while (count < size && isIn(from + count)) count++;
    return spanOf(from, count, 1, field);
  });
}

/** The same with each value of a step, and each of only two neighbours, by itself. */
export function unstepped(spans: readonly Span[]): Span[] {
  return spans.flatMap((span) => (span.values.length > 2 && span.step === 1 ? [span] : singles(span.values)));
}

/** Weekdays begin with Monday, whatever number Sunday has. */
export const mondayFirst = (spans: readonly Span[]): Span[] =>
  unstepped(spans).sort((a, b) => ((a.from + 6) % 7) - ((b.from + 6) % 7));
