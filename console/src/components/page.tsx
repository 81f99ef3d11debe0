import { type ReactNode, useEffect } from 'react';
import { CopyButton } from './copy-button';

/** The frame of a page: its one h1, what can be done, and the window's title. */
export function Page({
  title,
  object,
  copied,
  actions,
  fill = false,
  children,
}: {
  title: string;
  object?: string;
  /** What a button beside the title copies. */
  copied?: string;
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
        <div className="row page-title">
          <h1>{object ? `${title} · ${object}` : title}</h1>
          {copied && <CopyButton text={copied} what={copied} />}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
