import { type ReactNode, useEffect } from 'react';

/** The frame of a page: its one h1, what can be done, and the window's title. */
export function Page({
  title,
  object,
  actions,
  children,
}: {
  title: string;
  object?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = [object, title, 'Evenkeel'].filter(Boolean).join(' — ');
  }, [title, object]);
  return (
    <div className="stack page">
      <div className="spread">
        <h1>{object ? `${title} · ${object}` : title}</h1>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
