import { Link } from '@tanstack/react-router';
import type { Overview } from '../../../../src/admin/contract/overview.js';
import { CopyButton } from '../../components/copy-button';
import { useT } from '../../lib/i18n';

const COMMAND = 'npx evenkeel worker --group default';

/** The way from nothing to a first task; gone once it has been walked. */
export function FirstSteps({ steps }: { steps: Overview['firstSteps'] }) {
  const t = useT();
  if (steps.group && steps.worker && steps.job && steps.task) return null;
  return (
    <section className="panel" aria-label={t('firstSteps.title')}>
      <h2>{t('firstSteps.title')}</h2>
      <ol className="plain-list">
        <Step done={steps.group} text={<Link to="/groups">{t('firstSteps.group')}</Link>} />
        <Step
          done={steps.worker}
          text={
            <span className="row">
              {t('firstSteps.worker')} <code>{COMMAND}</code> <CopyButton text={COMMAND} />
            </span>
          }
        />
        <Step done={steps.job} text={<Link to="/jobs/new">{t('firstSteps.job')}</Link>} />
        <Step done={steps.task} text={<Link to="/jobs">{t('firstSteps.task')}</Link>} />
      </ol>
    </section>
  );
}

function Step({ done, text }: { done: boolean; text: React.ReactNode }) {
  const t = useT();
  return (
    <li className="row" data-done={done}>
      <span
        className={done ? 'state-succeeded' : 'secondary'}
        role="img"
        aria-label={t(done ? 'firstSteps.done' : 'firstSteps.open')}
      >
        {done ? '✓' : '○'}
      </span>
      {text}
    </li>
  );
}
