import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from 'antd';
import { useState } from 'react';
import type { Overview } from '../../../../src/admin/contract/overview.js';
import { useMay } from '../../api/session';
import { CopyButton } from '../../components/copy-button';
import { CreateGroup } from '../../components/create-group';
import { useT } from '../../lib/i18n';
import { setPreferences, usePreferences } from '../../lib/preferences';

/** Every installation begins with it. */
const DEFAULT_GROUP = 'default';

/** The way from nothing to a first task; gone once it has been walked, or when somebody wants to see it no more. */
export function FirstSteps({ steps, groups }: { steps: Overview['firstSteps']; groups: readonly string[] }) {
  const t = useT();
  const client = useQueryClient();
  const mayCreate = useMay('groups.create');
  const { firstStepsHidden } = usePreferences();
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  if (firstStepsHidden || (steps.group && steps.worker && steps.job && steps.task)) return null;
  const group = made ?? (groups.includes(DEFAULT_GROUP) ? DEFAULT_GROUP : (groups[0] ?? DEFAULT_GROUP));
  const command = `npx evenkeel worker --group ${group}`;
  return (
    <section className="panel" aria-label={t('firstSteps.title')}>
      <div className="spread">
        <h2>{t('firstSteps.title')}</h2>
        <Button type="text" onClick={() => setPreferences({ firstStepsHidden: true })}>
          {t('firstSteps.hide')}
        </Button>
      </div>
      <ol className="plain-list">
        <Step
          done={steps.group}
          text={
            <span className="row">
              <Link to="/groups">{t('firstSteps.group')}</Link>
              {steps.group && (
                <span>
                  {t('firstSteps.groupIs')} <bdi className="mono">{group}</bdi>
                </span>
              )}
              {mayCreate && (
                <Button size="small" onClick={() => setCreating(true)}>
                  {t('groups.create')}
                </Button>
              )}
            </span>
          }
        />
        <Step
          done={steps.worker}
          text={
            <span className="row">
              {t('firstSteps.worker')} <code>{command}</code> <CopyButton text={command} />
            </span>
          }
        />
        <Step
          done={steps.job}
          text={
            <Link to="/jobs/new" search={{ group: group === DEFAULT_GROUP ? undefined : group } as never}>
              {t('firstSteps.job')}
            </Link>
          }
        />
        <Step done={steps.task} text={<Link to="/jobs">{t('firstSteps.task')}</Link>} />
      </ol>
      {creating && (
        <CreateGroup
          close={() => setCreating(false)}
          onCreated={({ key }) => {
            setMade(key);
            void client.invalidateQueries({ queryKey: ['overview'] });
          }}
        />
      )}
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
