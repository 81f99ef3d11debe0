import { CloseOutlined } from '@ant-design/icons';
import { Link } from '@tanstack/react-router';
import { Button } from 'antd';
import { type ReactNode, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { useT } from '../lib/i18n';

/** One row of a list at a glance, beside the list: the keys go on working in the list, Escape closes. */
export function Peek({
  title,
  to,
  close,
  children,
}: {
  title: ReactNode;
  /** Its page; absent: it has none, or none any more. */
  to?: string;
  close: () => void;
  children: ReactNode;
}) {
  const t = useT();
  // Beside everything the page scrolls, under what stands above every page however high that is.
  const [shell, setShell] = useState<Element | null>(null);
  useEffect(() => setShell(document.querySelector('.shell')), []);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.querySelector('[role=dialog]')) close();
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [close]);
  if (!shell) return null;
  return createPortal(
    <aside className="peek stack" aria-label={t('peek.title')}>
      <div className="spread">
        <h2>{title}</h2>
        <span className="row">
          {to !== undefined && <Link to={to}>{t('peek.open')}</Link>}
          <Button type="text" size="small" aria-label={t('peek.close')} icon={<CloseOutlined />} onClick={close} />
        </span>
      </div>
      {children}
    </aside>,
    shell,
  );
}
