import { Entity, Index, Unique } from 'typeorm';
import { Int, Key, LongText, Millis, Name, TinyInt } from '../platform/database/columns.js';

/** A job: its definition, whether it fires, and when next. Written by the job store's statements only, never by `save`. */
@Entity('jobs')
@Unique('uk_jobs_group_key', ['groupId', 'key'])
@Unique('uk_jobs_app_crid', ['appId', 'clientRequestId'])
@Index('ix_jobs_next_fire', ['nextFireAt', 'id'])
@Index('ix_jobs_key', ['key', 'id'])
@Index('ix_jobs_app', ['appId', 'id'])
@Index('ix_jobs_kind', ['partition', 'scheduleKind'])
@Index('ix_jobs_event', ['eventName'])
export class JobEntity {
  @Key('id', 31, { primary: true })
  id: string;
  @Int('group_id')
  groupId: number;
  /** The group's; it never changes. */
  @TinyInt('partition_no')
  partition: number;
  @Key('job_key', 64)
  key: string;
  @Name('handler', 255)
  handler: string;
  @LongText('params', { nullable: true })
  params: string | null;
  @LongText('schedule_json')
  scheduleJson: string;
  @Key('schedule_kind', 12)
  scheduleKind: string;
  @Key('time_zone', 64)
  timeZone: string;
  @LongText('policies_json')
  policiesJson: string;
  @LongText('metadata_json', { nullable: true })
  metadataJson: string | null;
  @Key('overlap', 12)
  overlap: string;
  @Int('max_parallel')
  maxParallel: number;
  @Key('misfire', 12)
  misfire: string;
  @Millis('misfire_window_ms')
  misfireWindowMs: number;
  /** active, paused (by somebody) or disabled (it could not be fired). */
  @Key('job_state', 12)
  state: string;
  @Name('pause_reason', 255, { nullable: true })
  pauseReason: string | null;
  /** Null while nothing is planned, so the index holds only what may fire. */
  @Millis('next_fire_at', { nullable: true })
  nextFireAt: number | null;
  /** The fire that was next when it was paused. */
  @Millis('paused_fire_at', { nullable: true })
  pausedFireAt: number | null;
  @Millis('last_fire_at', { nullable: true })
  lastFireAt: number | null;
  /** In a row. */
  @Int('fire_failures')
  fireFailures: number;
  @Int('app_id', { nullable: true })
  appId: number | null;
  @Key('client_request_id', 64, { nullable: true })
  clientRequestId: string | null;
  @Key('request_fp', 64, { nullable: true })
  requestFingerprint: string | null;
  /** Counts edits of the definition; a fire is none. */
  @Int('version')
  version: number;
  @Name('job_owner', 128, { nullable: true })
  owner: string | null;
  @LongText('tags_json')
  tagsJson: string;
  @LongText('description', { nullable: true })
  description: string | null;
  @Millis('created_at')
  createdAt: number;
  @Millis('updated_at')
  updatedAt: number;
  /** Ids of the jobs it waits for; null for none. */
  @LongText('upstreams_json', { nullable: true })
  upstreamsJson: string | null;
  /** Of the kind `event`: which one fires it. */
  @Name('event_name', 128, { nullable: true })
  eventName: string | null;
  /** Handed on to every task. */
  @Key('callback_url', 2048, { nullable: true })
  callbackUrl: string | null;
}
