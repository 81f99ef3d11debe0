import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
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

const CONTROLLERS = [
  TasksController,
  JobsController,
  JobHistoryController,
  EventsController,
  WebhookEndpointsController,
  WebhookDeliveriesController,
  MeController,
];
const dependencies = CONTROLLERS.flatMap((controller) => Reflect.getMetadata('design:paramtypes', controller) as Type[]);

/** Only the partners' routes: nothing of the console or the worker channel is ever documented here. Their services do nothing. */
@Module({ controllers: CONTROLLERS, providers: dependencies.map((provide) => ({ provide, useValue: {} })) })
class DocumentedModule {}

/** The OpenAPI 3.1 document of the partners' face. Read from the decorators: needs no database and opens nothing. */
export async function makeDocument(server = '/'): Promise<OpenAPIObject> {
  const app = await NestFactory.create(DocumentedModule, new FastifyAdapter(), {
    logger: false,
    abortOnError: false,
  });
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
    SwaggerModule.createDocument(app, config, {
      extraModels: [ProblemDto, CallbackEventDto, EndpointEventDto, ChallengeAnswerDto],
    }),
  );
}

/** As it is written to `openapi.json`, where partners reach the server at its root. */
export async function openApiText(server?: string): Promise<string> {
  return `${JSON.stringify(await makeDocument(server), null, 2)}\n`;
}
