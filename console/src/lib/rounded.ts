/** A part of a whole as a percentage, rounded once and to the nearest; what is not none is not told as none, nor what is not all as all. */
export function percentText(part: number, whole: number, digits = 1): string {
  if (whole <= 0) return '0 %';
  const step = 10 ** -digits;
  const nearest = Number(((part / whole) * 100).toFixed(digits));
  if (part > 0 && nearest === 0) return `< ${step} %`;
  if (part < whole && nearest === 100) return `> ${(100 - step).toFixed(digits)} %`;
  return `${nearest} %`;
}

/**
 * Numbers and their sum as they are shown beside one another: the sum is the nearest, and the numbers shown add up to it. Each is the
 * nearest too, but for those whose last digit has to go the other way for that: the ones that are closest to it.
 */
export function addingUp(terms: readonly number[], digits: number): { terms: string[]; sum: string } {
  const unit = 10 ** digits;
  const units = (value: number) => Math.round(Number(value.toFixed(digits)) * unit);
  const sum = units(terms.reduce((all, term) => all + term, 0));
  const parts = terms.map((term, i) => ({ i, shown: units(term), lost: term * unit - units(term) }));
  const off = sum - parts.reduce((all, { shown }) => all + shown, 0);
  const step = Math.sign(off);
  const mostLost = [...parts].sort((a, b) => step * (b.lost - a.lost));
  for (const part of mostLost.slice(0, Math.abs(off))) part.shown += step;
  const text = (count: number) => (count / unit).toFixed(digits);
  return { terms: parts.map(({ shown }) => text(shown)), sum: text(sum) };
}
