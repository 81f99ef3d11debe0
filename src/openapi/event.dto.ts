import { type EventReceipt, type Json, LIMITS, type SendEvent } from '@evenkeel/sdk/contract';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CLIENT_REQUEST_ID } from '../decisions/check-submission.js';
import { SCHEDULE_BOUNDS } from '../decisions/schedule/schedule.js';

export class SendEventDto implements SendEvent {
  @ApiProperty({
    pattern: CLIENT_REQUEST_ID.source,
    description: 'Makes the event safe to repeat: the same id fires each job once.',
    example: 'paid-4711',
  })
  clientRequestId: string;
  @ApiProperty({ minLength: 1, maxLength: SCHEDULE_BOUNDS.eventNameLength, description: 'What happened.', example: 'order.paid' })
  name: string;
  @ApiPropertyOptional({
    'x-any-json': true,
    description: `Any JSON up to ${LIMITS.eventPayloadBytes} bytes, handed on as it is.`,
    example: { order: '4711' },
  } as object)
  payload?: Json;
}

export class EventReceiptDto implements EventReceipt {
  @ApiProperty({ pattern: '^evt_[0-9A-HJKMNP-TV-Z]{26}$', example: 'evt_01JGEXAMP1E000000000000000' })
  id: string;
  @ApiProperty({ example: 'paid-4711' })
  clientRequestId: string;
  @ApiProperty({ example: 'order.paid' })
  name: string;
  @ApiProperty({
    type: [String],
    example: ['task_01JGEXAMP1E000000000000000'],
    description: 'Ids of the tasks of this app that it fired, skipped ones included.',
  })
  taskIds: string[];
  @ApiProperty({ format: 'date-time', example: '2026-01-01T00:00:00.000Z' })
  createdAt: string;
}
