import { Injectable } from '@nestjs/common';
import { AccessKeysService, revisionOfKey } from '../../auth/access-keys.service.js';
import type { AccessKeyRow } from '../../auth/access-keys.store.js';
import { type App, AppsService } from '../../auth/apps.service.js';
import { keySettings } from '../../auth/key-deed.js';
import { CallbackHostsService } from '../../callbacks/callback-hosts.service.js';
import type { KeyView } from '../contract/keys.js';
import { isoOrNull } from '../request-parts.js';
import { KeyFiguresService } from './key-figures.service.js';

type Usage = 'successor' | 'lastUsedAt' | 'lastUsedAddress' | 'lastUsedEndpoint' | 'lastDay' | 'callbackHosts' | 'revision';

/** Keys as the console shows them, never with a secret. */
@Injectable()
export class KeyViews {
  constructor(
    private readonly keys: AccessKeysService,
    private readonly appsOf: AppsService,
    private readonly hosts: CallbackHostsService,
    private readonly figures: KeyFiguresService,
  ) {}

  /** `among`: the keys their successors are looked for in. */
  async of(rows: readonly AccessKeyRow[], among = rows): Promise<KeyView[]> {
    const apps = await this.apps();
    const hosts = await this.hosts.all();
    const figures = await this.figures.of(rows.map(({ accessKey }) => accessKey));
    return rows.map((row) => ({
      ...this.settings(row, apps),
      successor: this.successorOf(row, among),
      lastUsedAt: isoOrNull(row.lastUsedAt),
      lastUsedAddress: row.lastUsedAddress,
      lastUsedEndpoint: row.lastUsedEndpoint,
      lastDay: figures.get(row.accessKey) ?? null,
      revision: revisionOfKey(row),
      callbackHosts: (row.appId !== null && hosts.get(row.appId)) || [],
    }));
  }

  /** What of a key is set, and by nothing but a change of it. */
  private settings(row: AccessKeyRow, apps: ReadonlyMap<number, App>): Omit<KeyView, Usage> {
    return keySettings(row, apps, (key) => this.keys.isActive(key));
  }

  async apps(): Promise<Map<number, App>> {
    return new Map((await this.appsOf.list()).map((app) => [app.id, app]));
  }

  /** Only of a key that ends by itself: two without an end may both be meant to stay. */
  private successorOf(row: AccessKeyRow, among: readonly AccessKeyRow[]): string | null {
    if (row.appId === null || row.expiresAt === null || !this.keys.isActive(row)) return null;
    const newer = among.filter(
      (other) => other.appId === row.appId && other.createdAt > row.createdAt && this.keys.isActive(other),
    );
    return newer.sort((a, b) => b.createdAt - a.createdAt)[0]?.accessKey ?? null;
  }
}
