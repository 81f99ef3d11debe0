import { type ReactNode, useEffect } from 'react';

/** The frame of a page: its one h1, what can be done, and the window's title. */
export function Page({
  title,
  object,
  actions,
  fill = false,
  children,
}: {
  title: string;
  object?: string;
  actions?: ReactNode;
  /** At least as high as there is room, so that its content may take what is left. */
  fill?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = [object, title, 'Evenkeel'].filter(Boolean).join(' — ');
  }, [title, object]);
  return (
    <div className={fill ? 'stack page page-fill' : 'stack page'}>
      <div className="spread">
        <h1>{object ? `${title} · ${object}` : title}</h1>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
