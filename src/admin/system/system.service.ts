import { ROUTINGS } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { JOB_DEFAULTS } from '../../decisions/check-job.js';
import { oneOf, rules } from '../../decisions/field-rules.js';
import { SYSTEM_POLICIES } from '../../decisions/policies.js';
import { DEFAULT_LIMITS } from '../../jobs/groups.service.js';
import { routingDeed } from '../../jobs/routing-deed.js';
import { SystemSettingsService } from '../../jobs/system-settings.service.js';
import { Clock } from '../../platform/clock.js';
import { Config } from '../../platform/config.js';
import { settingsReport } from '../../platform/config-report.js';
import { programPackage } from '../../platform/program-package.js';
import { SqlDialect } from '../../ports.js';
import { WorkersService } from '../../registry/workers.service.js';
import type { RoutingSetting, SettingsView, SystemView } from '../contract/system.js';
import { KeptKinds } from '../kept/kept.js';
import { RetentionStore } from '../kept/retention.store.js';
import { bodyOf, iso, isoOrNull, reasonRule } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';
import { SystemStore } from './system.store.js';

const ROUTING = rules({ routing: oneOf(ROUTINGS), reason: reasonRule });
const LIVE_MS = 15_000;
export const SKEW_MS = 500;

/** What this installation is and how it stands. */
@Injectable()
export class SystemService {
  constructor(
    private readonly dialect: SqlDialect,
    private readonly store: SystemStore,
    private readonly workers: WorkersService,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly systemSettings: SystemSettingsService,
    private readonly trail: Trail,
    private readonly kinds: KeptKinds,
    private readonly retained: RetentionStore,
  ) {}

  async settings(): Promise<SettingsView> {
    const { config } = this;
    const { overlap, misfire } = JOB_DEFAULTS;
    return {
      version: programPackage().version,
      mode: config.mode,
      defaultTimeZone: config.defaultTimezone,
      defaultTimeZoneStated: config.defaultTimezoneStated,
      publicUrl: config.publicUrl?.href ?? null,
      publicPath: config.publicPath,
      session: { idleMs: config.sessionIdleMs, maxMs: config.sessionMaxMs },
      retention: await this.retention(),
      variables: settingsReport(),
      defaults: { ...SYSTEM_POLICIES, ...DEFAULT_LIMITS, overlap, misfire },
    };
  }

  private async retention(): Promise<SettingsView['retention']> {
    const { root } = this.dialect;
    const kept = this.kinds.all();
    const oldest = await Promise.all(kept.map(({ kind }) => this.retained.oldest(root, kind)));
    const rows = await Promise.all(kept.map(({ kind }) => this.retained.rows(root, kind)));
    return kept.map(({ kind, keptMs }, i) => ({
      kind,
      keptMs: keptMs === 0 ? null : keptMs,
      oldestAt: isoOrNull(oldest[i] ?? null),
      aboutRows: rows[i] ?? 0,
    }));
  }

  routing(): RoutingSetting {
    return { routing: this.systemSettings.routing };
  }

  /** Every node follows within two seconds. */
  async setRouting(request: ConsoleRequest, reply: FastifyReply): Promise<RoutingSetting> {
    const { routing, reason } = bodyOf<RoutingSetting>(request, ROUTING, ['routing']);
    const witness = this.trail.of(authorOf(request.caller, reply, reason), routingDeed);
    await this.systemSettings.setRouting(routing, witness);
    return this.routing();
  }

  async system(): Promise<SystemView> {
    const { root, name } = this.dialect;
    const startedAt = this.clock.monotonic();
    await root.rows('SELECT 1 AS one');
    const latencyMs = Math.round((this.clock.monotonic() - startedAt) * 10) / 10;
    const [nodes, partitions] = [await this.store.nodes(root), await this.store.partitions(root)];
    return {
      at: iso(this.clock.now()),
      thisNode: this.config.nodeId,
      version: programPackage().version,
      migrations: await this.store.migrations(root),
      database: { kind: name, latencyMs },
      nodes: nodes.map(({ nodeId, hostName, startedAt, seenAt, ageMs }) => ({
        id: nodeId,
        host: hostName,
        startedAt: iso(startedAt),
        seenAt: iso(seenAt),
        live: ageMs < LIVE_MS,
        partitions: partitions.filter(({ holder, leftMs }) => holder === nodeId && leftMs > 0).map(({ partition }) => partition),
      })),
      partitions,
      workersWithSkew: this.workers
        .all()
        .filter(({ figures }) => Math.abs(figures.skewMs ?? 0) > SKEW_MS)
        .map(({ workerId, figures }) => ({ id: workerId, skewMs: figures.skewMs as number })),
    };
  }
}
