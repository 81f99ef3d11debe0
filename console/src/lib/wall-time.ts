const DAY_MS = 86_400_000;

/** The instant at which clocks of the zone show `YYYY-MM-DDTHH:mm`; of an hour they show twice the first, of one they skip one beside it. */
export function instantOfWallTime(text: string, zone: string | null): number | null {
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return null;
  const ahead = aheadOfUtc(zone);
  const [before, after] = [asUtc - ahead(asUtc - DAY_MS), asUtc - ahead(asUtc + DAY_MS)];
  return [before, after].find((at) => at + ahead(at) === asUtc) ?? before;
}

/** How far the zone's clocks are ahead of UTC at an instant, in milliseconds. Null: the browser's zone. */
function aheadOfUtc(zone: string | null): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone ?? undefined,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  return (at) => {
    const second = Math.floor(at / 1_000) * 1_000;
    const p = Object.fromEntries(format.formatToParts(second).map(({ type, value }) => [type, value]));
    return Date.parse(`${p.year}-${p.month}-${p.day}T${p.hour}:${p.minute}:${p.second}Z`) - second;
  };
}
