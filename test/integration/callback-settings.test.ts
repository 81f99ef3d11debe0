import { CallbackHostsService } from '../../src/callbacks/callback-hosts.service.js';
import { ChallengeStore } from '../../src/callbacks/challenge.store.js';
import { ChallengeTurns } from '../../src/callbacks/challenge-turns.js';
import type { Deliverer } from '../../src/callbacks/deliverer.js';
import { EndpointStore } from '../../src/callbacks/endpoint.store.js';
import { EndpointDirectory } from '../../src/callbacks/endpoint-directory.js';
import { EndpointsService, MOST_ENDPOINTS } from '../../src/callbacks/endpoints.service.js';
import { OutboxStore } from '../../src/callbacks/outbox.store.js';
import { WebhookSecrets } from '../../src/callbacks/webhook-secrets.js';
import { ADAPTERS, type FreshDatabase, freshDatabase } from '../support/services.js';

const APP = 7;

describe.each(ADAPTERS)('what is decided about the callbacks of an app (%s)', (adapter) => {
  let database: FreshDatabase;
  let store: EndpointStore;
  let hosts: CallbackHostsService;
  let endpoints: EndpointsService;
  let backends: Awaited<ReturnType<FreshDatabase['open']>>;

  beforeAll(async () => {
    database = await freshDatabase(adapter);
    backends = await database.open();
    const { dialect, signals, clock } = backends;
    store = new EndpointStore(dialect);
    const directory = new EndpointDirectory(dialect, store, signals);
    const secrets = new WebhookSecrets({ seal: (secret) => secret, open: (box) => box });
    hosts = new CallbackHostsService(dialect, store, directory, secrets, clock);
    const asleep = { wake: () => {} } as Deliverer;
    const turns = new ChallengeTurns(new ChallengeStore(dialect));
    endpoints = new EndpointsService(dialect, store, new OutboxStore(), directory, secrets, asleep, turns, clock);
  }, 60_000);
  afterAll(() => database?.drop());

  const stored = async (app = APP) => (await store.app(backends.dialect.root, app))?.secrets.map(({ box }) => box);

  it('shows one secret however many set its hosts first, and that is the one it keeps', async () => {
    for (let app = APP; app < APP + 20; app++) {
      const set = await Promise.all(Array.from({ length: 8 }, (_, n) => hosts.set(app, [`h${n}.partner.com`])));
      const shown = set.flatMap(({ secret }) => secret ?? []);
      expect(shown).toHaveLength(1);
      expect(await stored(app)).toEqual(shown);
    }
  });

  it('never loses a secret it showed to a change of the hosts at the same moment', async () => {
    for (let n = 0; n < 20; n++) {
      const [, shown] = await Promise.all([
        hosts.set(APP, [`before-${n}.partner.com`]),
        hosts.rotateSecret(APP, 0),
        hosts.set(APP, [`after-${n}.partner.com`]),
      ]);
      expect(await stored()).toEqual([shown]);
    }
  });

  it('registers as many endpoints as it may have, however many are asked for at once', async () => {
    const asked = Array.from({ length: MOST_ENDPOINTS + 6 }, (_, n) =>
      endpoints.create(APP, `https://hooks.partner.com/${n}`, ['task.failed']),
    );
    expect((await Promise.all(asked)).filter((made) => made !== null)).toHaveLength(MOST_ENDPOINTS);
    expect(await endpoints.list(APP)).toHaveLength(MOST_ENDPOINTS);
  });
});
