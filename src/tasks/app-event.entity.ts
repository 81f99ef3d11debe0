import { Entity, Unique } from 'typeorm';
import { Int, Key, LongText, Millis, Name } from '../platform/database/columns.js';

/** An event an app sent, with the tasks it fired; written in the transaction that inserts them. */
@Entity('app_events')
@Unique('uk_app_events_crid', ['appId', 'clientRequestId'])
export class AppEventEntity {
  @Key('id', 31, { primary: true })
  id: string;
  @Int('app_id')
  appId: number;
  @Key('client_request_id', 64)
  clientRequestId: string;
  @Key('request_fp', 64)
  requestFingerprint: string;
  @Name('event_name', 128)
  name: string;
  @LongText('task_ids_json')
  taskIdsJson: string;
  @Millis('created_at')
  createdAt: number;
}
