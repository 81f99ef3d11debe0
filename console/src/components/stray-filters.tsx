import { useNavigate, useSearch } from '@tanstack/react-router';
import { Alert, Tag } from 'antd';
import { useT } from '../lib/i18n';
import { findsNothing, type SearchRules, type Stray, straysIn, withoutStray } from '../lib/search';

/** What of the address is not understood, and whether nothing is to be asked for because of it. */
export function useStrays(rules: SearchRules): { strays: Stray[]; blocked: boolean } {
  const strays = straysIn(useSearch({ strict: false }), rules);
  return { strays, blocked: findsNothing(strays) };
}

/** Each part as it was written, with what is wrong with it, to be taken out. */
export function StrayFilters({ strays }: { strays: readonly Stray[] }) {
  const t = useT();
  const navigate = useNavigate();
  if (strays.length === 0) return null;
  const nothing = findsNothing(strays);
  return (
    <Alert
      type={nothing ? 'warning' : 'info'}
      showIcon
      role="alert"
      title={t(nothing ? 'strays.nothing' : 'strays.ignored')}
      description={
        <ul className="plain-list">
          {strays.map((stray, i) => (
            <li key={i} className="row">
              <Tag
                closable
                onClose={(event) => {
                  event.preventDefault();
                  void navigate({ to: '.', search: ((raw: object) => withoutStray(raw as never, stray)) as never });
                }}
              >
                <bdi>
                  {stray.name}: {stray.value}
                </bdi>
              </Tag>
              <span>{t(`strays.${stray.fault}`, { name: stray.name, choices: stray.choices.join(', ') })}</span>
            </li>
          ))}
        </ul>
      }
    />
  );
}
