import { useQuery } from '@tanstack/react-query';
import type { GroupBalance } from '../../../src/admin/contract/workers.js';
import { api, segment } from '../api/client';
import { useLookAgain } from '../api/look-again';
import { useCodeText, useT } from '../lib/i18n';
import { shareText } from '../lib/times';
import { type Column, DataTable } from './data-table';
import { Imbalance, useLoadColumns } from './load-columns';
import { Loaded } from './loaded';

/** Whether the workers of a group are evenly loaded, in one sentence, with the figures it is made of. */
export function GroupBalancePanel({ group }: { group: string }) {
  const t = useT();
  const code = useCodeText();
  const loadColumns = useLoadColumns();
  const query = useQuery({
    queryKey: ['workers', 'balance', group],
    queryFn: ({ signal }) => api.get<GroupBalance>(`groups/${segment(group)}/balance`, undefined, signal),
    refetchInterval: useLookAgain(),
    placeholderData: (before) => before,
  });
  return (
    <section className="panel stack" aria-label={t('balance.title')}>
      <h2>
        {t('balance.title')} · <bdi>{group}</bdi>
      </h2>
      <Loaded query={query}>
        {({ workers, imbalance, verdict, work }) => {
          const columns: Column<GroupBalance['workers'][number]>[] = [
            ...loadColumns(workers, ({ load }) => load),
            {
              key: 'mean',
              title: t('balance.ofMean'),
              numeric: true,
              cell: ({ percentOfMean }) => shareText(percentOfMean / 100),
            },
          ];
          const percent = Math.abs(verdict.percentFromMean ?? 0);
          const which = verdict.code !== 'uneven' ? verdict.code : (verdict.percentFromMean ?? 0) > 0 ? 'above' : 'below';
          return (
            <>
              <strong className={verdict.code === 'uneven' ? 'state-late' : undefined}>
                {code('balance.verdict', which)
                  .replace('{worker}', verdict.worker ?? '')
                  .replace('{percent}', String(percent))}
                {work && (
                  <>
                    {t('balance.colon')}
                    <bdi>{t('balance.work', { name: work.job?.key ?? work.handler, count: work.count })}</bdi>
                  </>
                )}
              </strong>
              {workers.length > 1 && <Imbalance of={imbalance} />}
              {/* That there are none is what the sentence says. */}
              <DataTable label={t('balance.title')} columns={columns} rows={workers} rowId={({ id }) => id} empty={null} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
