import { Form, Input } from 'antd';
import { useT } from '../../lib/i18n';
import type { EditorFieldsProps } from './editor-fields';
import { sectionId } from './section-nav';

/** Who is told of its ends. Only a partner's job may name a target: its app says which hosts it may be at. */
export function CallbackFields({ job }: EditorFieldsProps) {
  const t = useT();
  return (
    <section className="panel" id={sectionId('callbacks')} aria-label={t('jobs.callbacks')}>
      <h2>{t('jobs.callbacks')}</h2>
      {job?.app ? (
        <Form.Item name="callbackUrl" label={t('jobs.callbackUrl')} extra={t('jobs.callbackUrlHint')}>
          <Input className="mono" maxLength={2048} placeholder="https://" />
        </Form.Item>
      ) : (
        <p className="secondary" style={{ margin: 0 }}>
          {t('jobs.callbacksOfPartners')}
        </p>
      )}
    </section>
  );
}
