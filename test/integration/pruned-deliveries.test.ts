import type { Deliverer } from '../../src/callbacks/deliverer.js';
import { DeliveriesService } from '../../src/callbacks/deliveries.service.js';
import { DeliveryStore } from '../../src/callbacks/delivery.store.js';
import { EndpointStore } from '../../src/callbacks/endpoint.store.js';
import { OldDeliveryStore } from '../../src/callbacks/old-delivery.store.js';
import { OutboxStore } from '../../src/callbacks/outbox.store.js';
import { SendStore } from '../../src/callbacks/send.store.js';
import { newId } from '../../src/platform/ids.js';
import type { Sql } from '../../src/ports.js';
import { gate } from '../support/gate.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';
import { waitFor } from '../support/wait-for.js';

const APP = 7;
const TARGET = 'a line';

describe.each(ADAPTERS)('a delivery that is removed (%s)', (adapter) => {
  let database: FreshDatabase;
  let backends: Awaited<ReturnType<FreshDatabase['open']>>;
  let deliveries: DeliveriesService;
  const outbox = new OutboxStore();
  const old = new OldDeliveryStore();

  beforeAll(async () => {
    database = await freshDatabase(adapter);
    backends = await database.open();
    const { dialect, clock } = backends;
    const asleep = { wake: () => {} } as Deliverer;
    deliveries = new DeliveriesService(dialect, new DeliveryStore(), new EndpointStore(dialect), outbox, asleep, clock);
  }, 60_000);
  afterAll(() => database?.drop());

  /** Of a delivery with nothing queued. */
  const delivered = async (): Promise<string> => {
    const { root } = backends.dialect;
    const event = { id: newId('evt'), appId: APP, taskId: null, seq: null, type: 'webhook.ping', body: '{}', occurredAt: 1 };
    const receivers = [{ endpointId: null, url: 'https://a.partner.com/hook', target: TARGET }];
    const [[id] = []] = await backends.dialect.transaction((tx) => outbox.insert(tx, [{ ...event, receivers }], 1));
    await root.run('DELETE FROM webhook_sends WHERE delivery_id = ?', [id]);
    return id as string;
  };
  const queued = () => backends.dialect.root.rows('SELECT delivery_id FROM webhook_sends');

  it('has what was left in the queue of it removed by who claims it', async () => {
    const { dialect } = backends;
    const sends = new SendStore(dialect);
    const id = await delivered();
    const claim = (now: number) => dialect.transaction((tx) => sends.claim(tx, TARGET, 10, now, `lease ${now}`, now + 30_000));
    const again = (deliveryId: string) => outbox.again(dialect.root, [{ deliveryId, target: TARGET, trigger: 'manual' }], 5);
    await again('dlv_gone');
    await again(id);
    expect((await claim(1_000)).map(({ deliveryId }) => deliveryId)).toEqual([id]);
    expect(await queued()).toEqual([{ delivery_id: id }]);
    await dialect.transaction((tx) => old.remove(tx, [id]));
  });

  // Embedded, transactions queue: none begins while another is open.
  if (adapter === 'cluster') {
    const waits = async () => {
      const [row] = await backends.dialect.root.rows<{ n: number }>(
        `SELECT COUNT(*) AS n FROM information_schema.INNODB_TRX t INNER JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id
         WHERE p.DB = DATABASE() AND t.trx_state = 'LOCK WAIT'`,
      );
      return Number(row?.n) > 0;
    };
    /** Begins `second` in the midst of `first`, which goes on when that has ended or waits for it. */
    const inTheMidstOf = async <T>(first: (pause: () => Promise<void>) => Promise<unknown>, second: () => Promise<T>) => {
      const begun = gate();
      const over = gate();
      const one = first(async () => {
        begun.open();
        await over.opened;
      });
      await begun.opened;
      let hasEnded = false;
      const other = second().finally(() => {
        hasEnded = true;
      });
      await waitFor('the second waits or has ended', async () => hasEnded || (await waits()));
      over.open();
      return Promise.all([one, other]);
    };
    const removal = (id: string, then: (tx: Sql) => Promise<void> = async () => {}) =>
      backends.dialect.transaction(async (tx) => {
        await old.remove(tx, [id]);
        await then(tx);
      });

    it('while it is sent again leaves nothing in the queue', async () => {
      const id = await delivered();
      const [again] = await inTheMidstOf(
        (pause) => deliveries.redeliver(APP, id, pause),
        () => removal(id),
      );
      expect(again).toBe(true);
      expect(await queued()).toEqual([]);
    }, 60_000);

    it('is not found by who asks for it to be sent again meanwhile', async () => {
      const id = await delivered();
      const [, again] = await inTheMidstOf(
        (pause) => removal(id, pause),
        () => deliveries.redeliver(APP, id),
      );
      expect(again).toBe(false);
      expect(await queued()).toEqual([]);
    }, 60_000);
  }
});
