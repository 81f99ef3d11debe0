import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Alert, Button, Form, Input, Select } from 'antd';
import { useMemo, useState } from 'react';
import type { RejectedRequest } from '../../../../src/admin/contract/keys.js';
import { api, segment } from '../../api/client';
import { useServerAhead } from '../../api/notices';
import { CopyButton } from '../../components/copy-button';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { useT } from '../../lib/i18n';
import { one } from '../../lib/search';
import { BodyFileChoice } from './body-file';
import { LoadedNote } from './loaded-note';
import { arrivedOf, loaded } from './loaded-request';
import { complaints, LINE_NAMES, type SignedRequest, sign } from './signature-check';
import { SignatureVerdict } from './signature-verdict';
import './tester.css';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const secondsThere = (aheadMs: number) => Math.floor((Date.now() + aheadMs) / 1_000);
function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Signs a request as the server does, to compare with what a partner's code made. Nothing typed here leaves the page, nor outlives it.
 * `?rejected=`: begins with a request that was refused, without its secret and its body, which nobody has kept.
 */
export function TesterPage() {
  const t = useT();
  const id = one(useSearch({ strict: false }), 'rejected');
  const query = useQuery({
    queryKey: ['keys', 'rejected', id],
    queryFn: ({ signal }) => api.get<RejectedRequest>(`rejected-requests/${segment(id as string)}`, undefined, signal),
    enabled: id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page title={t('keys.tester')}>
      <Alert type="info" showIcon title={t('tester.local')} />
      {id === undefined ? <Tester /> : <Loaded query={query}>{(rejected) => <Tester key={id} rejected={rejected} />}</Loaded>}
    </Page>
  );
}

function Tester({ rejected }: { rejected?: RejectedRequest }) {
  const t = useT();
  const ahead = useServerAhead() ?? 0;
  const [request, setRequest] = useState<SignedRequest>(() =>
    rejected
      ? loaded(rejected)
      : {
          accessKey: '',
          secret: '',
          method: 'POST',
          target: '/openapi/v1/tasks',
          timestamp: String(secondsThere(ahead)),
          nonce: newNonce(),
          body: '{"handler":"echo","params":{}}',
        },
  );
  // The server judges by its own clock; a refused request it has judged at that request's own moment.
  const seconds =
    rejected && request.timestamp === rejected.timestamp ? Math.floor(Date.parse(rejected.at) / 1_000) : secondsThere(ahead);
  const arrived = useMemo(() => rejected && arrivedOf(rejected), [rejected]);
  const change = (part: Partial<SignedRequest>) => setRequest((before) => ({ ...before, ...part }));
  const wrong = complaints(request, seconds);
  const about = (field: string) => wrong.find((each) => each.field === field);
  const signed = useMemo(() => {
    try {
      return sign(request);
    } catch {
      return null; // The target breaks a rule: said at its field.
    }
  }, [request]);
  const badTarget = about('target');
  return (
    <>
      {rejected && <LoadedNote rejected={rejected} />}
      <div className="tester">
        <Form layout="vertical" component="div" className="panel">
          <h2>{t('tester.request')}</h2>
          <Form.Item
            label={t('keys.key')}
            htmlFor="tester-key"
            help={request.accessKey && about('accessKey') && t('tester.badKey')}
          >
            <Input
              id="tester-key"
              className="mono"
              value={request.accessKey}
              onChange={({ target }) => change({ accessKey: target.value.trim() })}
            />
          </Form.Item>
          <Form.Item label={t('keys.secret')} htmlFor="tester-secret">
            <Input.Password
              id="tester-secret"
              className="mono"
              autoComplete="off"
              data-secret
              value={request.secret}
              onChange={({ target }) => change({ secret: target.value })}
            />
          </Form.Item>
          <div className="row tester-line">
            <Form.Item label={t('tester.method')} htmlFor="tester-method">
              <Select
                id="tester-method"
                style={{ width: 104 }}
                value={request.method}
                options={METHODS.map((value) => ({ value, label: value }))}
                onChange={(method) => change({ method })}
              />
            </Form.Item>
            <Form.Item
              label={t('tester.target')}
              htmlFor="tester-target"
              style={{ flex: 1 }}
              validateStatus={badTarget ? 'error' : undefined}
              help={badTarget?.rule}
            >
              <Input
                id="tester-target"
                className="mono"
                value={request.target}
                onChange={({ target }) => change({ target: target.value })}
              />
            </Form.Item>
          </div>
          <div className="row tester-line">
            <Form.Item
              label={t('tester.timestamp')}
              htmlFor="tester-timestamp"
              style={{ flex: 1 }}
              validateStatus={about('timestamp') ? 'error' : about('skew') ? 'warning' : undefined}
              help={about('timestamp') ? t('tester.badTimestamp') : about('skew') ? t('tester.skew') : undefined}
            >
              <Input
                id="tester-timestamp"
                className="mono"
                value={request.timestamp}
                onChange={({ target }) => change({ timestamp: target.value.trim() })}
              />
            </Form.Item>
            <Form.Item
              label={t('tester.nonce')}
              htmlFor="tester-nonce"
              style={{ flex: 2 }}
              validateStatus={about('nonce') ? 'error' : undefined}
              help={about('nonce') && t('tester.badNonce')}
            >
              <Input
                id="tester-nonce"
                className="mono"
                value={request.nonce}
                onChange={({ target }) => change({ nonce: target.value.trim() })}
              />
            </Form.Item>
            <Button onClick={() => change({ timestamp: String(secondsThere(ahead)), nonce: newNonce() })}>
              {t('tester.fresh')}
            </Button>
          </div>
          <Form.Item label={t('tester.body')} htmlFor="tester-body">
            <Input.TextArea
              id="tester-body"
              className="mono"
              rows={5}
              disabled={request.file !== undefined}
              value={request.body}
              onChange={({ target }) => change({ body: target.value, digest: undefined })}
            />
          </Form.Item>
          <BodyFileChoice file={request.file} onChange={(file) => change({ file, digest: undefined })} />
        </Form>
        {signed && (
          <div className="stack">
            <section className="panel stack" aria-label={t('tester.canonical')}>
              <div className="spread">
                <h2>{t('tester.canonical')}</h2>
                <CopyButton text={signed.lines.join('\n')} what={t('tester.canonical')} />
              </div>
              <ol className="canonical mono">
                {signed.lines.map((line, i) => (
                  <li key={LINE_NAMES[i]}>
                    <span className="secondary">{t(`tester.line.${LINE_NAMES[i] ?? 'scheme'}`)}</span>
                    <code>{line === '' ? '∅' : line}</code>
                  </li>
                ))}
              </ol>
            </section>
            <section className="panel stack" aria-label={t('tester.signature')}>
              <h2>{t('tester.signature')}</h2>
              {request.secret === '' ? (
                <span className="secondary">{t('tester.needsSecret')}</span>
              ) : (
                <>
                  <div className="row">
                    <code className="tester-signature">{signed.signature}</code>
                    <CopyButton text={signed.signature} what={t('tester.signature')} />
                  </div>
                  <div className="row">
                    <span className="secondary">{t('tester.headers')}</span>
                    <CopyButton
                      text={signed.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
                      what={t('tester.headers')}
                    />
                  </div>
                </>
              )}
            </section>
            <SignatureVerdict request={request} signed={signed} arrived={arrived} />
          </div>
        )}
      </div>
    </>
  );
}
