import { Webhook } from 'standardwebhooks';
import { Installation } from '../support/installation.js';
import { LOOPBACK_CALLBACKS, type Received, Receiver } from '../support/receiver.js';
import { ADAPTERS } from '../support/services.js';
import { signedRequest } from '../support/signed-request.js';
import { becomes, waitFor } from '../support/wait-for.js';

/** A hundred of them: test/soak/callback-kill.soak.ts. */
const ROUNDS = 2;
const PATIENCE_MS = ROUNDS * 120_000;

describe.each(ADAPTERS)('callbacks, %s', (adapter) => {
  let installation: Installation;
  let receiver: Receiver;
  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', target: string, body?: unknown) =>
    signedRequest(installation.nodes.at(-1)?.url as string, installation.appKey, method, `/openapi/v1${target}`, body);
  const submit = async (body: object) => {
    const answer = await call('POST', '/tasks', { handler: 'echo', ...body });
    expect(answer).toMatchObject({ status: 202 });
    return answer.body.id as string;
  };
  const arrival = (taskId: string, path: string, count = 1): Promise<Received[]> =>
    waitFor(`${taskId} is told at ${path}`, () => {
      const found = receiver.ofTask(taskId).filter((each) => each.path === path);
      return found.length >= count ? found : undefined;
    });
  const register = async (path: string, eventTypes?: string[]) => {
    const { status, body } = await call('POST', '/webhook-endpoints', {
      url: receiver.url(path),
      ...(eventTypes && { eventTypes }),
    });
    expect(status).toBe(201);
    await waitFor('the endpoint answered its challenge', async () => {
      return (await call('GET', `/webhook-endpoints/${body.id}`)).body.state === 'ENABLED';
    });
    return body as { id: string; secret: string };
  };

  const logged = async (objectId: string) =>
    (await installation.look()).dialect.root.rows<{ actor: string; action: string }>(
      'SELECT actor, action FROM audit_log WHERE object_id = ? ORDER BY id',
      [objectId],
    );

  beforeAll(async () => {
    installation = await Installation.create(adapter);
    receiver = await Receiver.listen();
    await installation.startNode('n1', { ...LOOPBACK_CALLBACKS, PUBLIC_URL: 'https://jobs.example.com' });
    await installation.startWorker({ id: 'w1' });
  }, 120_000);
  afterAll(async () => {
    await receiver.close();
    await installation.remove();
  });

  it('tells the end of a task at its callbackUrl, signed so that a standard library verifies it', async () => {
    const id = await submit({
      params: { n: 1.5 },
      callbackUrl: receiver.url('/plain'),
      clientRequestId: 'c-1',
      metadata: { a: 'b' },
    });
    const [told] = (await arrival(id, '/plain')) as [Received];
    new Webhook(installation.callbackSecret).verify(told.body, told.headers as Record<string, string>);
    expect(told.headers).toMatchObject({
      'x-ek-event-type': 'task.succeeded',
      'x-ek-attempt': '1',
      'content-type': 'application/json',
      'user-agent': 'Evenkeel-Webhooks/1.0 (+https://jobs.example.com/openapi/docs)',
    });
    const { data, ...event } = told.event;
    expect(event).toMatchObject({ id: told.id, type: 'task.succeeded', apiVersion: '2026-01-01' });
    expect(told.id).toMatch(/^evt_/);
    expect(data).toMatchObject({
      taskId: id,
      status: 'SUCCEEDED',
      clientRequestId: 'c-1',
      attempts: 1,
      result: { n: 1.5 },
      metadata: { a: 'b' },
    });
    expect((await call('GET', `/tasks/${id}`)).body).toMatchObject({ status: 'SUCCEEDED', callbackUrl: receiver.url('/plain') });
  });

  it('tells endpoints what they subscribed to, and nobody else', async () => {
    const endpoint = await register('/failures', ['task.failed', 'task.cancelled']);
    const failed = await submit({ handler: 'fail', params: { retryable: false } });
    const cancelled = await submit({ delayMs: 3_600_000 });
    await call('POST', `/tasks/${cancelled}/cancel`);
    const succeeded = await submit({ callbackUrl: receiver.url('/other') });
    const [told] = (await arrival(failed, '/failures')) as [Received];
    new Webhook(endpoint.secret).verify(told.body, told.headers as Record<string, string>);
    expect((await arrival(cancelled, '/failures'))[0]?.event).toMatchObject({ type: 'task.cancelled', data: { attempts: 0 } });
    await arrival(succeeded, '/other');
    expect(receiver.ofTask(succeeded).map(({ path }) => path)).toEqual(['/other']);
    await call('DELETE', `/webhook-endpoints/${endpoint.id}`);
    expect((await call('GET', `/webhook-endpoints/${endpoint.id}`)).status).toBe(404);
  });

  it('refuses URLs that are not on a host of the app, named by their rule', async () => {
    for (const [url, code] of [
      ['https://hooks.elsewhere.com/x', 'host_not_verified'],
      ['http://10.0.0.1/x', 'ip_literal_not_allowed'],
      ['ftp://127.0.0.1/x', 'scheme_not_allowed'],
      ['', undefined],
    ]) {
      const answer = await call('POST', '/tasks', { handler: 'echo', callbackUrl: url });
      expect(answer.body).toMatchObject(
        code ? { status: 422, code: 'callback_url_not_allowed', errors: [{ code }] } : { status: 400 },
      );
    }
    const items = [{ handler: 'echo', clientRequestId: 'b-1', callbackUrl: 'https://hooks.elsewhere.com/x' }];
    expect((await call('POST', '/tasks/batch', { items })).body.results[0]).toMatchObject({
      outcome: 'rejected',
      error: { code: 'callback_url_not_allowed' },
    });
    expect((await call('POST', '/webhook-endpoints', { url: 'https://hooks.elsewhere.com/x' })).status).toBe(422);
  });

  it('hands the callbackUrl of a job on to its tasks', async () => {
    const job = { key: 'told', handler: 'echo', schedule: { kind: 'manual' }, callbackUrl: receiver.url('/job') };
    const { status, body } = await call('POST', '/jobs', job);
    expect(status).toBe(201);
    const run = await call('POST', `/jobs/${body.id}/trigger`, {});
    expect((await arrival(run.body.id, '/job'))[0]?.event.data).toMatchObject({ jobId: body.id });
  });

  it('sends the same bytes under the same id until they are taken, and once more when asked', async () => {
    let refusals = 1;
    receiver.behave = ({ path }, response) => response.writeHead(path === '/again' && refusals-- > 0 ? 500 : 200).end('seen');
    const id = await submit({ callbackUrl: receiver.url('/again') });
    const [first, second] = (await arrival(id, '/again', 2)) as [Received, Received];
    expect([second.id, second.body]).toEqual([first.id, first.body]);
    expect([first, second].map(({ headers }) => headers['x-ek-attempt'])).toEqual(['1', '2']);
    const delivery = await waitFor('the delivery succeeded', async () => {
      const { body } = await call('GET', `/webhook-deliveries?taskId=${id}&status=SUCCEEDED`);
      return body.items[0];
    });
    expect((await call('POST', `/webhook-deliveries/${delivery.id}/redeliver`, {})).status).toBe(202);
    const third = (await arrival(id, '/again', 3))[2] as Received;
    expect([third.id, third.body]).toEqual([first.id, first.body]);
    new Webhook(installation.callbackSecret).verify(third.body, third.headers as Record<string, string>);
    const { body } = await waitFor('all attempts are in the log', async () => {
      const answer = await call('GET', `/webhook-deliveries/${delivery.id}`);
      return answer.body.log.length === 3 ? answer : undefined;
    });
    expect(body.log.map(({ trigger, status }: { trigger: string; status: number }) => `${trigger} ${status}`)).toEqual([
      'auto 500',
      'auto 200',
      'manual 200',
    ]);
    expect(JSON.stringify(body)).not.toContain('whsec_');
    expect((await call('POST', '/webhook-deliveries/dlv_01JGEXAMPLE0000000000000000/redeliver', {})).status).toBe(404);
  });

  it('signs with both secrets while a rotation is in grace, and with the new one alone after a leak', async () => {
    const endpoint = await register('/rotated', ['task.succeeded']);
    const rotate = async (graceSeconds: number) =>
      (await call('POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`, { graceSeconds })).body.secret as string;
    const verifies = (secret: string, { body, headers }: Received) => {
      try {
        new Webhook(secret).verify(body, headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };
    const second = await rotate(600);
    const [told] = (await arrival(await submit({}), '/rotated')) as [Received];
    expect([endpoint.secret, second].map((secret) => verifies(secret, told))).toEqual([true, true]);
    const third = await rotate(0);
    const [after] = (await arrival(await submit({}), '/rotated')) as [Received];
    expect([endpoint.secret, second, third].map((secret) => verifies(secret, after))).toEqual([false, false, true]);
    const ping = await call('POST', `/webhook-endpoints/${endpoint.id}/test`, {});
    await waitFor('the ping arrives', () => receiver.received.some(({ event }) => event.type === 'webhook.ping'));
    expect(ping.body.deliveryId).toMatch(/^dlv_/);
    await call('DELETE', `/webhook-endpoints/${endpoint.id}`);
  });

  it('enables one that failed for days only after a while, and names the limit', async () => {
    const { id } = await register('/failed-for-days');
    const { dialect } = await installation.look();
    await dialect.root.run(
      `UPDATE webhook_endpoints SET endpoint_state = 'DISABLED', state_reason = 'failing', disabled_at = ${dialect.nowMs} WHERE id = ?`,
      [id],
    );
    const early = await call('POST', `/webhook-endpoints/${id}/enable`);
    expect(early).toMatchObject({ status: 429, body: { code: 'rate_limited', 'violated-policies': ['enabling'] } });
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await call('DELETE', `/webhook-endpoints/${id}`);
  });

  it('disables an endpoint that is gone', async () => {
    const endpoint = await register('/gone', ['task.succeeded']);
    receiver.behave = ({ path }, response) => response.writeHead(path === '/gone' ? 410 : 200).end();
    await arrival(await submit({}), '/gone');
    await waitFor('it is disabled', async () => {
      const { body } = await call('GET', `/webhook-endpoints/${endpoint.id}`);
      return body.state === 'DISABLED' && body.stateReason === 'gone';
    });
    await becomes(
      () => logged(endpoint.id),
      [
        { actor: `key:${installation.appKey.accessKey}`, action: 'endpoint.created' },
        { actor: 'system', action: 'endpoint.disabled' },
      ],
    );
    await call('DELETE', `/webhook-endpoints/${endpoint.id}`);
  });

  it('asks the policy again at each delivery, and tells a partner of a blocked one nothing but that', async () => {
    const id = await submit({ callbackUrl: receiver.url('/denied') });
    await arrival(id, '/denied');
    const job = {
      key: 'repeated',
      handler: 'echo',
      schedule: { kind: 'manual' },
      callbackUrl: receiver.url('/job'),
      clientRequestId: 'job-1',
    };
    const created = await call('POST', '/jobs', job);
    expect(created.status).toBe(201);
    const { dialect } = await installation.look();
    const allow = (hosts: string[]) => dialect.root.run('UPDATE callback_apps SET hosts_json = ?', [JSON.stringify(hosts)]);
    await allow([]);
    await waitFor(
      'the node knows',
      async () => (await call('POST', '/tasks', { handler: 'echo', callbackUrl: receiver.url('/x') })).status === 422,
    );
    const replayed = await call('POST', '/jobs', job);
    expect([replayed.status, replayed.body, replayed.headers.get('idempotent-replayed')]).toEqual([201, created.body, 'true']);
    expect((await call('POST', '/jobs', { ...job, key: 'new', clientRequestId: 'job-2' })).status).toBe(422);
    const { body } = await call('GET', `/webhook-deliveries?taskId=${id}`);
    await call('POST', `/webhook-deliveries/${body.items[0].id}/redeliver`, {});
    const log = await waitFor('the attempt is in the log', async () => {
      const answer = await call('GET', `/webhook-deliveries/${body.items[0].id}`);
      return answer.body.log[1];
    });
    expect(log).toMatchObject({ trigger: 'manual', failure: 'blocked', status: null, response: null });
    await becomes(
      () => logged(body.items[0].id),
      [
        { actor: `key:${installation.appKey.accessKey}`, action: 'delivery.redelivered' },
        { actor: 'system', action: 'ssrf.blocked' },
      ],
    );
    expect(receiver.ofTask(id)).toHaveLength(1);
    await allow(['127.0.0.1', 'localhost']);
    await waitFor(
      'the node knows',
      async () => (await call('POST', '/tasks', { handler: 'echo', callbackUrl: receiver.url('/x') })).status === 202,
    );
  });

  it('lets a receiver that hangs hold up nobody else', async () => {
    receiver.behave = ({ path }, response) => path !== '/hangs' && response.writeHead(200).end();
    const hanging = await register('/hangs', ['task.skipped', 'task.succeeded']);
    const ids = await Promise.all(Array.from({ length: 12 }, () => submit({})));
    await waitFor('the endpoint hangs', () => receiver.received.filter(({ path }) => path === '/hangs').length >= 4);
    await call('POST', `/webhook-endpoints/${hanging.id}/disable`, {});
    const open = receiver.received.length;
    const other = await submit({ callbackUrl: receiver.url('/quick').replace('127.0.0.1', 'localhost') });
    await arrival(other, '/quick');
    expect(receiver.received.length - open).toBe(1);
    expect(ids).toHaveLength(12);
    await call('DELETE', `/webhook-endpoints/${hanging.id}`);
    receiver.behave = (_, response) => response.writeHead(200).end();
  }, 60_000);

  it(
    'delivers every callback although the node is killed right after the end of its task',
    async () => {
      for (let round = 1; round <= ROUNDS; round++) {
        const held = receiver.url(`/killed-${round}`);
        const ids = await Promise.all(Array.from({ length: 5 }, () => submit({ callbackUrl: held })));
        const { dialect } = await installation.look();
        await waitFor('some task has ended', async () => {
          const [row] = await dialect.root.rows<{ n: number }>(
            `SELECT COUNT(*) AS n FROM tasks WHERE state = 7 AND id IN (${ids.map(() => '?').join(',')})`,
            ids,
          );
          return Number(row?.n) > 0;
        });
        await installation.nodes.at(-1)?.process.kill();
        const port = new URL(installation.nodes[0]?.url as string).port;
        await installation.startNode(`n1-${round}`, { ...LOOPBACK_CALLBACKS, PORT: port });
        for (const id of ids) {
          await waitFor(`${id} is told`, () => receiver.ofTask(id).length > 0, 60_000);
          expect(new Set(receiver.ofTask(id).map((each) => `${each.id} ${each.body}`)).size).toBe(1);
        }
      }
      expect(installation.output).not.toContain('whsec_');
    },
    PATIENCE_MS,
  );
});
