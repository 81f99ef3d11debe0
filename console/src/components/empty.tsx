import type { ReactNode } from 'react';

/** Why there is nothing, and what to do about it. */
export function Empty({ text, actions }: { text: ReactNode; actions?: ReactNode }) {
  return (
    <div className="stack" style={{ alignItems: 'center', padding: 24, gap: 8 }}>
      <span className="secondary">{text}</span>
      {actions && <div className="row">{actions}</div>}
    </div>
  );
}
