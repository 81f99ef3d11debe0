import { Injectable } from '@nestjs/common';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { may } from '../../decisions/permissions.js';
import { GroupsService } from '../../jobs/groups.service.js';
import { SystemSettingsService } from '../../jobs/system-settings.service.js';
import { Clock } from '../../platform/clock.js';
import { SqlDialect } from '../../ports.js';
import { WorkersService } from '../../registry/workers.service.js';
import type { NoticeKind, Notices } from '../contract/system.js';
import { type GroupFigures, GroupFiguresStore } from '../groups/group-figures.store.js';
import { iso, isoOrNull } from '../request-parts.js';
import { ConsoleSite } from '../site/console-site.js';
import { SKEW_MS } from './system.service.js';
import { SystemStore } from './system.store.js';

/** Answers within it are told from one look: every open console asks, and what is wrong stays wrong for longer. */
const KEPT_MS = 3_000;
const SLOW_MS = 250;
const LATE_SEND_MS = 60_000;
/** More names nobody reads in a line: the page it leads to lists them. */
const NAMED = 20;

interface Look {
  at: number;
  unheld: number[];
  figures: ReadonlyMap<number, GroupFigures>;
  lateSends: number;
  databaseMs: number;
}

/** What is wrong with the whole, each told once with how much of it there is; nothing when nothing is. */
@Injectable()
export class NoticesService {
  private last: Promise<Look> | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: SystemStore,
    private readonly figures: GroupFiguresStore,
    private readonly groups: GroupsService,
    private readonly workers: WorkersService,
    private readonly settings: SystemSettingsService,
    private readonly site: ConsoleSite,
    private readonly clock: Clock,
  ) {}

  async notices({ caller: { rights } }: ConsoleRequest): Promise<Notices> {
    const look = await this.look();
    const notices: Notices['notices'] = [];
    const tell = (kind: NoticeKind, objects: readonly string[]) => {
      if (objects.length > 0) notices.push({ kind, count: objects.length, objects: [...objects].sort().slice(0, NAMED) });
    };
    const { maintenance } = this.settings;
    if (maintenance)
      notices.push({ kind: 'maintenance_hold', count: 1, objects: [maintenance.reason], until: isoOrNull(maintenance.until) });
    const system = may(rights, 'system.view', null);
    const seen = this.groups.all().filter(({ key }) => may(rights, 'groups.view', key));
    if (system) tell('partition_unheld', look.unheld.map(String));
    tell(
      'group_without_worker',
      seen.filter(({ id, key }) => this.isStranded(look.figures.get(id), key)).map(({ key }) => key),
    );
    tell(
      'clock_skew',
      this.workers
        .all()
        .filter(({ state, figures }) => state !== 'offline' && Math.abs(figures.skewMs ?? 0) > SKEW_MS)
        .filter(({ offer }) => offer.groups.some((group) => may(rights, 'workers.view', group)))
        .map(({ workerId }) => workerId),
    );
    if (system && look.lateSends > 0) notices.push({ kind: 'callbacks_late', count: look.lateSends, objects: [] });
    if (system && look.databaseMs > SLOW_MS)
      notices.push({ kind: 'database_slow', count: Math.round(look.databaseMs), objects: [] });
    tell(
      'group_held',
      seen.filter((group) => this.groups.isHeld(group)).map(({ key }) => key),
    );
    return { at: iso(look.at), console: this.site.main, notices };
  }

  /** Something is due there and nobody takes orders of it. */
  private isStranded(figures: GroupFigures | undefined, group: string): boolean {
    if (!figures || figures.pending === 0) return false;
    return !this.workers.all().some(({ takesOrders, offer }) => takesOrders && offer.groups.includes(group));
  }

  private look(): Promise<Look> {
    const now = this.clock.monotonic();
    if (this.last && now - this.lookedAt < KEPT_MS) return this.last;
    this.lookedAt = now;
    const looked = this.read();
    this.last = looked;
    // What could not be read is not kept: the next one who asks tries again.
    looked.catch(() => {
      if (this.last === looked) this.last = undefined;
    });
    return looked;
  }

  private async read(): Promise<Look> {
    const { root } = this.dialect;
    const startedAt = this.clock.monotonic();
    await root.rows('SELECT 1 AS one');
    const databaseMs = this.clock.monotonic() - startedAt;
    const partitions = await this.store.partitions(root);
    const at = Math.floor(this.clock.now());
    return {
      at,
      databaseMs,
      unheld: partitions.filter(({ holder, leftMs }) => holder === null || leftMs < 0).map(({ partition }) => partition),
      figures: await this.figures.of(
        root,
        this.groups.all().map(({ id }) => id),
      ),
      lateSends: await this.store.lateSends(root, at - LATE_SEND_MS),
    };
  }
}
