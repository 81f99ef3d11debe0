import { Link, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useT } from '../../lib/i18n';
import { one } from '../../lib/search';

export const SECTIONS = ['basics', 'trigger', 'target', 'execution', 'callbacks'] as const;

export const sectionId = (section: (typeof SECTIONS)[number]): string => `section-${section}`;

/** The parts of the long form; the one in the URL is where the page begins. */
export function SectionNav() {
  const t = useT();
  const raw = useSearch({ strict: false });
  const chosen = SECTIONS.find((section) => section === one(raw, 'section'));
  useEffect(() => {
    if (chosen) document.getElementById(sectionId(chosen))?.scrollIntoView({ block: 'start' });
  }, [chosen]);
  return (
    <nav className="section-nav" aria-label={t('jobs.sections')}>
      {SECTIONS.map((section) => (
        <Link
          key={section}
          to="."
          replace
          search={((before: object) => ({ ...before, section })) as never}
          aria-current={section === chosen ? 'true' : undefined}
          onClick={() => document.getElementById(sectionId(section))?.scrollIntoView({ block: 'start' })}
        >
          {t(`jobs.${section}`)}
        </Link>
      ))}
    </nav>
  );
}
