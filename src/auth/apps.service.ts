import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
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

  async create(app: NewApp): Promise<App> {
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
      return this.store.byPublicId(tx, publicId);
    });
    return toApp(row as AppRow);
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

function toApp(row: AppRow): App {
  const { groupKeys, limitsJson, ...rest } = row;
  return { ...rest, groups: JSON.parse(groupKeys) as string[], limits: limitsOf(limitsJson) };
}
