import type { INestApplication } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ProblemDto } from '../answers.dto.js';
import { EventsController } from '../events.controller.js';
import { JobHistoryController } from '../job-history.controller.js';
import { JobsController } from '../jobs.controller.js';
import { MeController } from '../me.controller.js';
import { TasksController } from '../tasks.controller.js';
import { CallbackEventDto, ChallengeAnswerDto, EndpointEventDto } from '../webhook.dto.js';
import { WebhookDeliveriesController } from '../webhook-deliveries.controller.js';
import { WebhookEndpointsController } from '../webhook-endpoints.controller.js';
import { DESCRIPTION } from './description.js';
import { finishDocument } from './finish-document.js';

/** Only the partners' routes: nothing of the console or the worker channel is ever documented here. */
const CONTROLLERS = [
  TasksController,
  JobsController,
  JobHistoryController,
  EventsController,
  WebhookEndpointsController,
  WebhookDeliveriesController,
  MeController,
];

/**
 * What the document is read from: as much of an application as has controllers. It is never created by Nest: that would take over the
 * logger and the handling of errors of the whole process, which is a running node's when somebody asks for the document.
 */
function documentedApp(): INestApplication {
  const controllers = new Map<object, object>();
  for (const metatype of CONTROLLERS) controllers.set(metatype, { metatype, instance: Object.create(metatype.prototype) });
  const partners = { metatype: class DocumentedModule {}, imports: new Set(), controllers };
  const read: object = {
    container: { getModules: () => new Map([['partners', partners]]) },
    config: new ApplicationConfig(),
    getHttpAdapter: () => ({ getType: () => 'fastify' }),
  };
  return read as INestApplication;
}

/** The OpenAPI 3.1 document of the partners' face. Read from the decorators: needs no database, opens nothing and changes nothing. */
export function makeDocument(server = '/'): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Evenkeel partner API')
    .setDescription(DESCRIPTION)
    .setVersion('1.0.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(server, 'This server')
    .setExternalDoc('Signing, debugger, samples and errors', `${server === '/' ? '' : server}/openapi/docs`)
    .addTag('Tasks', 'Work to be done, once.')
    .addTag('Jobs', 'Work to be done again and again, by a schedule.')
    .addTag('Events', 'What happened, told to the jobs that listen.')
    .addTag('Callbacks', 'Where the ends of tasks are told, and what became of it.')
    .addTag('Account', 'The app behind an access key.')
    .build();
  return finishDocument(
    SwaggerModule.createDocument(documentedApp(), config, {
      extraModels: [ProblemDto, CallbackEventDto, EndpointEventDto, ChallengeAnswerDto],
    }),
  );
}

/** As it is written to `openapi.json`, where partners reach the server at its root. */
export function openApiText(server?: string): string {
  return `${JSON.stringify(makeDocument(server), null, 2)}\n`;
}
