import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { revisionOfSettings } from '../platform/revision.js';
import type { Witness } from '../platform/witness.js';
import { SqlDialect } from '../ports.js';
import { type AppLimits, limitsOf } from './app-limits.js';
import { type AppRow, AppsStore } from './apps.store.js';

export interface App {
  id: number;
  publicId: string;
  name: string;
  defaultGroup: string;
  /** Keys of the groups granted to it, the default one included. */
  groups: readonly string[];
  limits: AppLimits;
  createdAt: number;
}
export interface NewApp {
  name: string;
  defaultGroup: string;
  /** Further groups it may use. */
  groups?: readonly string[];
  /** Limits that differ from the system's. */
  limits?: Partial<AppLimits>;
}

/** Partners. That the groups named exist is the caller's care. */
@Injectable()
export class AppsService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: AppsStore,
    private readonly clock: Clock,
  ) {}

  async create(app: NewApp, witness?: Witness<App>): Promise<App> {
    const publicId = newId('app');
    const groups = [...new Set([app.defaultGroup, ...(app.groups ?? [])])];
    const row = await this.dialect.transaction(async (tx) => {
      await this.store.insert(tx, {
        publicId,
        name: app.name,
        defaultGroup: app.defaultGroup,
        groupKeys: JSON.stringify(groups),
        limitsJson: app.limits ? JSON.stringify(app.limits) : null,
        createdAt: this.clock.now(),
      });
      const row = (await this.store.byPublicId(tx, publicId)) as AppRow;
      await witness?.(tx, null, toApp(row));
      return row;
    });
    return toApp(row);
  }

  /**
   * What is absent stays; limits that are stated replace its own, null gives it the system's. Null if there is no such app, `stale` if
   * it is not as it was at that revision. The caller tells the keys (`AccessKeysService.appChanged`): nodes remember an app with each key.
   */
  async change(
    publicId: string,
    { revision, ...change }: Partial<Omit<NewApp, 'limits'>> & { limits?: NewApp['limits'] | null; revision?: string },
    witness?: Witness<App>,
  ): Promise<App | 'stale' | null> {
    return this.dialect.transaction(async (tx) => {
      const found = await this.store.byPublicId(tx, publicId);
      if (!found) return null;
      await this.store.lock(tx, found.id, this.dialect.forUpdate);
      const row = (await this.store.byPublicId(tx, publicId)) as AppRow;
      const before = toApp(row);
      if (revision !== undefined && revision !== revisionOfApp(before)) return 'stale';
      const defaultGroup = change.defaultGroup ?? before.defaultGroup;
      const groupKeys = JSON.stringify([...new Set([defaultGroup, ...(change.groups ?? before.groups)])]);
      const limitsJson =
        change.limits === undefined ? row.limitsJson : change.limits === null ? null : JSON.stringify(change.limits);
      const next = { ...row, name: change.name ?? row.name, defaultGroup, groupKeys, limitsJson };
      await this.store.update(tx, next);
      await witness?.(tx, before, toApp(next));
      return toApp(next);
    });
  }

  async find(id: number): Promise<App | null> {
    const row = await this.store.byId(this.dialect.root, id);
    return row && toApp(row);
  }

  async findByPublicId(publicId: string): Promise<App | null> {
    const row = await this.store.byPublicId(this.dialect.root, publicId);
    return row && toApp(row);
  }

  async list(): Promise<App[]> {
    return (await this.store.all(this.dialect.root)).map(toApp);
  }
}

/** Differs when what `change` sets differs. */
export const revisionOfApp = ({ name, defaultGroup, groups, limits }: App): string =>
  revisionOfSettings([name, defaultGroup, [...groups].sort(), Object.entries(limits).sort(([a], [b]) => (a < b ? -1 : 1))]);

function toApp(row: AppRow): App {
  const { groupKeys, limitsJson, ...rest } = row;
  return { ...rest, groups: JSON.parse(groupKeys) as string[], limits: limitsOf(limitsJson) };
}
