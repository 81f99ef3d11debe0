import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { checkEnvironment, type Environment, textOn } from '../../decisions/check-environment.js';
import { anyText, rules } from '../../decisions/field-rules.js';
import { said } from '../../decisions/field-sentences.js';
import type { CountedSetting } from '../../jobs/counted-setting.js';
import { SystemSettingsService } from '../../jobs/system-settings.service.js';
import { AppError } from '../../platform/errors.js';
import type {
  EnvironmentSetting,
  LiveFloor,
  LiveFloorSetting,
  SetEnvironment,
  SetLiveFloor,
  SiteView,
} from '../contract/system.js';
import { bodyOf, reasonRule } from '../request-parts.js';
import { authorOf, Trail } from '../trail.js';

const ENVIRONMENT = 'environment';
const LIVE_FLOOR = 'live_floor';
const FLOORS: readonly LiveFloor[] = [1, 5, 15, 60];
const shared = { revision: anyText(64), reason: reasonRule };
/** `environment` is checked as a whole. */
const SET_ENVIRONMENT = rules({ ...shared, environment: () => {} });
const SET_FLOOR = rules({
  ...shared,
  seconds: (value, pointer, findings) => {
    if (!FLOORS.some((floor) => floor === value))
      findings.add(pointer, 'not_allowed', said('choice', { choices: FLOORS.join(', ') }));
  },
});

/** What the console itself is set to, for everybody. Every node follows within two seconds. */
@Injectable()
export class ConsoleSettingsService {
  constructor(
    private readonly settings: SystemSettingsService,
    private readonly trail: Trail,
  ) {}

  site(): SiteView {
    const environment = environmentOf(this.settings.counted(ENVIRONMENT));
    return {
      environment: environment && { ...environment, textColour: textOn(environment.colour) },
      liveFloorSeconds: this.liveFloorSeconds,
    };
  }

  /** Nobody is told of changes more often than that. */
  get liveFloorSeconds(): LiveFloor {
    return floorOf(this.settings.counted(LIVE_FLOOR));
  }

  environment(): EnvironmentSetting {
    return environmentView(this.settings.counted(ENVIRONMENT));
  }

  liveFloor(): LiveFloorSetting {
    return floorView(this.settings.counted(LIVE_FLOOR));
  }

  async setEnvironment(request: ConsoleRequest, reply: FastifyReply): Promise<EnvironmentSetting> {
    const body = bodyOf<SetEnvironment>(request, SET_ENVIRONMENT, ['revision', 'environment']);
    const errors = checkEnvironment(body.environment, '/environment');
    if (errors.length > 0) throw AppError.fields(errors);
    return environmentView(
      await this.replace(request, reply, ENVIRONMENT, body, body.environment, environmentOf, environmentView),
    );
  }

  async setLiveFloor(request: ConsoleRequest, reply: FastifyReply): Promise<LiveFloorSetting> {
    const body = bodyOf<SetLiveFloor>(request, SET_FLOOR, ['revision', 'seconds']);
    return floorView(await this.replace(request, reply, LIVE_FLOOR, body, body.seconds, floorOf, floorView));
  }

  private async replace(
    { caller }: ConsoleRequest,
    reply: FastifyReply,
    name: string,
    { revision, reason }: { revision: string; reason?: string },
    value: unknown,
    show: (setting: CountedSetting) => unknown,
    view: (setting: CountedSetting) => unknown,
  ): Promise<CountedSetting> {
    const witness = this.trail.of<CountedSetting>(authorOf(caller, reply, reason), {
      action: `settings.${name}_changed`,
      type: 'setting',
      id: () => name,
      show: (setting) => ({ [name]: show(setting) }),
    });
    const version = /^\d{1,9}$/.test(revision) ? Number(revision) : -1;
    const [replaced, setting] = await this.settings.replace(name, version, value, witness);
    if (replaced) return setting;
    throw new AppError('version_conflict', 'the setting was changed since it was read', { members: { current: view(setting) } });
  }
}

/** One that this version would refuse counts as none. */
const environmentOf = ({ value }: CountedSetting): Environment | null =>
  checkEnvironment(value, '').length === 0 ? (value as Environment | null) : null;
const floorOf = ({ value }: CountedSetting): LiveFloor => FLOORS.find((floor) => floor === value) ?? 1;
const environmentView = (setting: CountedSetting): EnvironmentSetting => ({
  environment: environmentOf(setting),
  revision: String(setting.version),
});
const floorView = (setting: CountedSetting): LiveFloorSetting => ({
  seconds: floorOf(setting),
  revision: String(setting.version),
});
