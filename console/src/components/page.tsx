import { type ReactNode, useEffect } from 'react';
import { useSite } from '../api/site';
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
  useWindowTitle(object, title);
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

/** What is looked at, and where: the last word tells one installation's windows from another's. */
export function useWindowTitle(...parts: (string | undefined)[]): void {
  const environment = useSite()?.environment?.name;
  const title = [...parts, 'Evenkeel', environment].filter(Boolean).join(' — ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
