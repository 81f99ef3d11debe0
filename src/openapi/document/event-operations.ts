import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { EventReceiptDto, SendEventDto } from '../event.dto.js';
import { header } from './shared-components.js';

export const SendEventOperation = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'sendEvent',
      summary: 'Send an event',
      description:
        "Fires every job of the kind `event` with that name in the app's groups, once per clientRequestId. The task's params are the job's with a member " +
        '`event` `{id, name, payload}`. A job that is paused is left out; the overlap rule of each decides what becomes of its ' +
        'task. ' +
        'A listener may belong to another app that shares the group: it is fired too, and the receipt names the tasks of your ' +
        'app alone. If a group where a task would be made is full, the event is refused as a whole (429 `backlog_full`) and ' +
        'its clientRequestId is unused.',
    }),
    ApiBody({
      type: SendEventDto,
      examples: {
        minimal: { value: { clientRequestId: 'paid-4711', name: 'order.paid' } },
        full: { value: { clientRequestId: 'paid-4711', name: 'order.paid', payload: { order: '4711' } } },
      },
    }),
    ApiResponse({
      status: 202,
      description: 'Sent, or sent before with the same clientRequestId. No job listening is no error.',
      type: EventReceiptDto,
      headers: { 'Idempotent-Replayed': header('Idempotent-Replayed') },
    }),
  );
