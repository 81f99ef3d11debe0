import { Link } from '@tanstack/react-router';
import type { Overview } from '../../../../src/admin/contract/overview.js';
import { Instant } from '../../components/instant';
import { StateIcon } from '../../components/state-tag';
import { useCodeText, useT } from '../../lib/i18n';

type Item = Overview['attention'][number];

/** What waits for a person, most urgent first, each with the page where it can be dealt with. */
export function Attention({ items }: { items: readonly Item[] }) {
  const t = useT();
  const code = useCodeText();
  return (
    <section className="panel" aria-label={t('overview.attention')}>
      <h2>{t('overview.attention')}</h2>
      {items.length === 0 ? (
        <span className="row state-succeeded">
          <StateIcon family="succeeded" /> {t('overview.allWell')}
        </span>
      ) : (
        <ul className="plain-list">
          {items.map((item) => (
            <li key={`${item.kind} ${item.object.id}`} className="row">
              <StateIcon family="late" />
              <span>{code('attention', item.kind)}</span>
              <ObjectLink object={item.object} />
              {item.since && <Instant at={item.since} />}
              <span className="secondary">
                {Object.entries(item.evidence)
                  .filter(([, value]) => value !== null)
                  .map(([name, value]) => `${code('evidence', name)} ${value}`)
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ObjectLink({ object: { type, id, name } }: { object: Item['object'] }) {
  const text = <bdi>{name}</bdi>;
  switch (type) {
    case 'group':
      return (
        <Link to="/groups/$groupKey" params={{ groupKey: id }}>
          {text}
        </Link>
      );
    case 'worker':
      return (
        <Link to="/workers/$workerId" params={{ workerId: id }}>
          {text}
        </Link>
      );
    case 'job':
      return (
        <Link to="/jobs/$jobId" params={{ jobId: id }}>
          {text}
        </Link>
      );
    case 'key':
      return (
        <Link to="/keys/$accessKey" params={{ accessKey: id }}>
          {text}
        </Link>
      );
    case 'app':
      return <Link to="/keys">{text}</Link>;
    case 'endpoint':
      return text;
    default:
      return <Link to="/system">{text}</Link>;
  }
}
