import { Button, Tooltip } from 'antd';
import { useState } from 'react';
import type { TaskDetail } from '../../../../src/admin/contract/tasks.js';
import { BASE_PATH } from '../../lib/base-path';
import { copyText } from '../../lib/clipboard';
import { useT } from '../../lib/i18n';
import { curlText } from './curl-text';

/** The same work as a signed call of the partner API; keys are left to whoever runs it. */
export function CopyCurl({ task }: { task: TaskDetail }) {
  const t = useT();
  const [done, setDone] = useState(false);
  const text = curlText(task, `${location.origin}${BASE_PATH}`.replace(/\/$/, ''));
  const why = task.parentId !== null ? t('task.curlShard') : text === null ? t('task.curlTooLarge') : null;
  return (
    <Tooltip title={why ?? t('task.curlHint')}>
      <Button
        size="small"
        aria-disabled={why !== null}
        className={why === null ? undefined : 'is-disabled'}
        aria-label={[done ? t('action.copied') : t('task.curl'), why].filter(Boolean).join(' – ')}
        onClick={async () => {
          if (why !== null || text === null) return;
          setDone(await copyText(text));
          setTimeout(() => setDone(false), 1_500);
        }}
      >
        {done ? t('action.copied') : t('task.curl')}
      </Button>
    </Tooltip>
  );
}
