import { Link } from '@tanstack/react-router';
import { Button, Result } from 'antd';
import { ErrorPanel } from '../components/error-panel';
import { useT } from '../lib/i18n';

export function NotFound() {
  const t = useT();
  return <Result status="404" title={t('notFound.title')} extra={<Link to="/">{t('notFound.home')}</Link>} />;
}

const RELOADED = 'evenkeel.reloaded';

/** A page whose files are gone was replaced by a newer build: it is loaded once more, and only once. */
export function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  const t = useT();
  const gone =
    error instanceof Error &&
    /dynamically imported module|Importing a module script failed|Unable to preload/i.test(error.message);
  if (gone && sessionStorage.getItem(RELOADED) !== location.href) {
    sessionStorage.setItem(RELOADED, location.href);
    location.reload();
    return null;
  }
  return (
    <div style={{ padding: 16 }}>
      {gone ? (
        <Result
          title={t('newVersion.title')}
          extra={
            <Button type="primary" onClick={() => location.reload()}>
              {t('newVersion.reload')}
            </Button>
          }
        />
      ) : (
        <ErrorPanel error={error} onRetry={reset} />
      )}
    </div>
  );
}
