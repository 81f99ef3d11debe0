import { useQuery } from '@tanstack/react-query';
import { Input, Skeleton } from 'antd';
import { useId, useState } from 'react';
import type { BulkChange, BulkFilter, BulkKind, BulkPreview, BulkView } from '../../../src/admin/contract/bulk.js';
import { api } from '../api/client';
import { useCodeText, useT } from '../lib/i18n';
import { useAttempt } from './attempt';
import { BulkChangeField, isChanging } from './bulk-change';
import { Dialog } from './dialog';
import { ErrorPanel } from './error-panel';
import { Instant } from './instant';
import { WrittenText } from './written-text';

/** What would happen, counted by the server on a filter that no longer moves; nothing happens before a reason and a yes. */
export function BulkDialog({
  kind,
  filter,
  given = null,
  close,
  started,
}: {
  kind: BulkKind;
  filter: BulkFilter;
  /** What is made of each, if that is settled. */
  given?: BulkChange | null;
  close: () => void;
  started: (id: string) => void;
}) {
  const t = useT();
  const code = useCodeText();
  const reasonId = useId();
  const [reason, setReason] = useState('');
  const { busy, attempt } = useAttempt();
  const [change, setChange] = useState<BulkChange | null>(given);
  const asked = isChanging(kind) ? { kind, filter, change } : { kind, filter };
  const ready = !isChanging(kind) || change !== null;
  const preview = useQuery({
    queryKey: ['bulk-preview', kind, filter, change],
    queryFn: async () => (await api.post<BulkPreview>('bulk/preview', asked)).body,
    enabled: ready,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { data } = preview;
  async function start() {
    if (!data) return;
    // What was counted is what is acted on: what came since is left out.
    const { frozenAt, ...filter } = data.frozen;
    const { body } = await api.post<BulkView>('bulk', { ...asked, filter, frozenAt, reason: reason.trim() });
    close();
    started(body.id);
  }
  const many = (count: number, capped: boolean) => `${count}${capped ? '+' : ''}`;
  return (
    <Dialog
      title={code('bulk', kind)}
      okText={data ? t('bulk.start', { n: many(data.eligible.count, data.eligible.capped) }) : code('bulk', kind)}
      okButtonProps={{
        danger: kind === 'tasks.cancel',
        disabled: !data || data.eligible.count === 0 || reason.trim() === '',
        loading: busy,
      }}
      cancelText={t('action.back')}
      onCancel={close}
      onOk={() => void attempt(start)}
    >
      <div className="stack">
        {preview.error && <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />}
        {given && (
          <span>
            {t(given.group === undefined ? 'bulk.newOwner' : 'bulk.moveTo')}:{' '}
            <WrittenText text={given.group ?? given.owner ?? t('bulk.noOwner')} />
          </span>
        )}
        {isChanging(kind) && !given && <BulkChangeField kind={kind} onChange={setChange} />}
        {ready && !data && !preview.error && <Skeleton active title={false} />}
        {data && (
          <>
            <span>
              {t('bulk.eligible', { n: many(data.eligible.count, data.eligible.capped) })} · {t('bulk.asOf')}{' '}
              <Instant at={data.frozen.frozenAt} />
            </span>
            {(data.frozen.from ?? data.frozen.to) && (
              <span>
                {data.frozen.from && t('bulkFilter.from')} {data.frozen.from && <Instant at={data.frozen.from} />}
                {data.frozen.from && data.frozen.to && ' · '}
                {data.frozen.to && t('bulkFilter.to')} {data.frozen.to && <Instant at={data.frozen.to} />}
              </span>
            )}
            {Object.entries(data.skipped).map(([state, count]) => (
              <span key={state} className="secondary">
                {t('bulk.skippedState', { n: count, state: code('state', state) })}
              </span>
            ))}
            {data.obstacles.map(({ code: obstacle, count, sample }) => (
              <span key={obstacle} className={obstacle === 'there_already' ? 'secondary' : 'state-late'}>
                {t('bulk.leftOut', { n: count, why: code('bulkObstacle', obstacle) })}: <bdi>{sample.join(', ')}</bdi>
              </span>
            ))}
            {data.withoutWorker.length > 0 && (
              <span className="state-late">
                {t('bulk.withoutWorker')}: <bdi>{data.withoutWorker.join(', ')}</bdi>
              </span>
            )}
            {data.notAllowed > 0 && <span className="state-late">{t('bulk.notAllowed', { n: data.notAllowed })}</span>}
          </>
        )}
        <label htmlFor={reasonId}>{t('action.reasonRequired')}</label>
        <Input.TextArea
          id={reasonId}
          value={reason}
          rows={2}
          maxLength={255}
          onChange={({ target }) => setReason(target.value)}
        />
      </div>
    </Dialog>
  );
}
