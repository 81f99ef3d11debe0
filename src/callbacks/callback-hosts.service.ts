import { Injectable } from '@nestjs/common';
import { said } from '../decisions/field-sentences.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { revisionOfSettings } from '../platform/revision.js';
import type { Witness } from '../platform/witness.js';
import { type Sql, SqlDialect } from '../ports.js';
import { DEFAULT_SECRET } from './attempt-delivery.js';
import { type CallbackApp, EndpointStore } from './endpoint.store.js';
import { EndpointDirectory } from './endpoint-directory.js';
import { WebhookSecrets } from './webhook-secrets.js';

const HOST = /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$|^\[[0-9a-f:]+\]$/;

/**
 * The hosts an app's results may go to, and the secret that signs its callbacks without an endpoint. Set by people of the
 * installation only: an access key that leaked can send results nowhere new.
 */
@Injectable()
export class CallbackHostsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: EndpointStore,
    private readonly directory: EndpointDirectory,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  async of(appId: number): Promise<string[]> {
    return (await this.store.app(this.dialect.root, appId))?.hosts ?? [];
  }

  /** Of every app that has any, by its id. */
  async all(): Promise<Map<number, string[]>> {
    return new Map((await this.store.apps(this.dialect.root)).map(({ appId, hosts }) => [appId, hosts]));
  }

  /**
   * The first time it also makes the app's secret, which is shown this once. `stale` if the hosts are not those of the revision that is
   * stated. Throws AppError for something that is no host.
   */
  async set(appId: number, hosts: readonly string[], witness?: Witness<string[]>): Promise<{ secret: string | null }>;
  async set(
    appId: number,
    hosts: readonly string[],
    witness: Witness<string[]>,
    revision: string | undefined,
  ): Promise<{ secret: string | null } | 'stale'>;
  async set(
    appId: number,
    hosts: readonly string[],
    witness?: Witness<string[]>,
    revision?: string,
  ): Promise<{ secret: string | null } | 'stale'> {
    const wrong = hosts.findIndex((host) => !HOST.test(host));
    if (wrong >= 0) throw AppError.fields([{ pointer: `/hosts/${wrong}`, code: 'bad_format', ...said('host_form') }]);
    const fresh = this.secrets.make(appId, DEFAULT_SECRET);
    const made = await this.change(appId, async (tx, app) => {
      if (revision !== undefined && revision !== revisionOfHosts(app?.hosts ?? [])) return 'stale';
      const secrets = app?.secrets ?? [fresh.sealed];
      const after = [...new Set(hosts)];
      await this.store.saveApp(tx, app, { appId, hosts: after, secrets }, this.now());
      await witness?.(tx, app?.hosts ?? null, after);
      return app === null;
    });
    if (made === 'stale') return made;
    await this.directory.changed();
    return { secret: made ? fresh.secret : null };
  }

  /** The only time the new secret is shown. The old one signs along until the grace is over. */
  async rotateSecret(appId: number, graceMs: number, also?: (tx: Sql) => Promise<void>): Promise<string> {
    const { secret, sealed } = this.secrets.make(appId, DEFAULT_SECRET);
    await this.change(appId, async (tx, before) => {
      const app = before ?? { appId, hosts: [], secrets: [] };
      const secrets = this.secrets.rotated(app.secrets, sealed, graceMs, this.now());
      await this.store.saveApp(tx, before, { ...app, secrets }, this.now());
      await also?.(tx);
    });
    return secret;
  }

  /** One at a time for an app. Of two that make its row at once the second meets the unique key and begins again, with that row. */
  private async change<T>(appId: number, write: (tx: Sql, app: CallbackApp | null) => Promise<T>): Promise<T> {
    const attempt = () => this.dialect.transaction(async (tx) => write(tx, await this.store.lockApp(tx, appId)));
    try {
      return await attempt();
    } catch (error) {
      if (!this.dialect.isUniqueViolation(error)) throw error;
      return attempt();
    }
  }

  private now(): number {
    return Math.round(this.clock.now());
  }
}

/** Differs when the hosts differ, in whatever order they are. */
export const revisionOfHosts = (hosts: readonly string[]): string => revisionOfSettings([...hosts].sort());
