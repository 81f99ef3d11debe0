import type { CSSProperties } from 'react';
import type { SiteView } from '../../../src/admin/contract/system.js';
import { useT } from '../lib/i18n';
import './environment.css';

/** What this installation is called, in its colour. */
export function EnvironmentBadge({ environment }: { environment: NonNullable<SiteView['environment']> }) {
  const t = useT();
  const { name, textColour, production } = environment;
  return (
    <span
      className="environment"
      data-production={production}
      title={t('environment.title')}
      style={{ ...environmentColour(environment), color: textColour }}
    >
      <span className="visually-hidden">{t('environment.title')}: </span>
      <bdi>{name}</bdi>
    </span>
  );
}

/** For whatever is drawn in its colour. */
export const environmentColour = ({ colour }: { colour: string }): CSSProperties =>
  ({ '--environment': colour }) as CSSProperties;
