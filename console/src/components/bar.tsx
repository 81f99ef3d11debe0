import './chart.css';

/** How much of a limit is used. Never drawn beyond its ends; the numbers beside it are the truth. */
export function Bar({
  value,
  max,
  label,
  tone,
}: {
  value: number;
  max: number;
  label: string;
  tone?: 'late' | 'hatched' | 'plain';
}) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <div className="row" style={{ flexWrap: 'nowrap' }}>
      <div className="bar" data-tone={tone} role="img" aria-label={label} style={{ flex: 1 }}>
        <div className="bar-fill" data-tone={tone ?? (share >= 1 ? 'late' : undefined)} style={{ width: `${share * 100}%` }} />
      </div>
      <span className="mono bar-label">{label}</span>
    </div>
  );
}
