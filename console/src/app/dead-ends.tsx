import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { Alert, Button, Result } from 'antd';
import { Empty } from '../components/empty';
import { ErrorPanel } from '../components/error-panel';
import { Page } from '../components/page';
import { useT } from '../lib/i18n';

export function NotFound() {
  const t = useT();
  const { pathname } = useLocation();
  return (
    <Page title={t('notFound.title')}>
      <div className="panel">
        <Empty
          text={
            <>
              {t('notFound.text')} <bdi className="mono">{pathname}</bdi>
            </>
          }
          actions={<Link to="/">{t('notFound.home')}</Link>}
        />
      </div>
    </Page>
  );
}

/** To who is signed in and holds no role anywhere: the one thing every page would say in parts. */
export function NoRights() {
  const t = useT();
  return (
    <Page title={t('noRights.title')}>
      <Alert type="info" showIcon role="alert" title={t('noRights.text')} description={t('noRights.then')} />
    </Page>
  );
}

const RELOADED = 'evenkeel.reloaded';

/**
 * A page whose files are gone was replaced by a newer build: it is loaded once more, and only once. What failed otherwise is asked for
 * again, from who is signed in on.
 */
export function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  const t = useT();
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
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
        <ErrorPanel error={error} onRetry={again} />
      )}
    </div>
  );
}
