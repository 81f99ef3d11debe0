import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { CALLBACK_EVENT_TYPES, PROBLEM_CODES } from '@evenkeel/sdk/contract';
import type { OpenAPIObject } from '@nestjs/swagger';
import { EVENT_FIELDS } from '../../src/decisions/check-event.js';
import { JOB_FIELDS } from '../../src/decisions/check-job.js';
import { SUBMISSION_FIELDS } from '../../src/decisions/check-submission.js';
import { makeDocument } from '../../src/openapi/document/make-document.js';
import { JOB_LIST_PARAMETERS, LIST_PARAMETERS } from '../../src/openapi/task-query.js';
import { type Node, OpenApiDocument } from '../support/openapi-document.js';

let document: OpenAPIObject;
beforeAll(() => {
  document = makeDocument();
});
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into from every side
const at = (...path: string[]): any => path.reduce((node: any, name) => node?.[name], document);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', () => {
    const script = join(__dirname, '../../scripts/validate-openapi.mjs');
    const output = execFileSync(process.execPath, [script], { input: JSON.stringify(document) });
    expect(JSON.parse(output.toString())).toEqual({ valid: true });
    expect(document.openapi).toBe('3.1.0');
  });

  it('holds only what it refers to, and refers only to what it holds', () => {
    const text = JSON.stringify(document);
    const referred = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
    );
    for (const reference of referred)
      expect([reference, typeof at('components', ...reference.split('/'))]).toEqual([reference, 'object']);
    for (const kind of ['responses', 'headers', 'schemas']) {
      for (const name of Object.keys(at('components', kind))) expect(referred).toContain(`${kind}/${name}`);
    }
  });

  it('knows the partners’ routes and no others', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(operations.sort()).toEqual([
      'delete /openapi/v1/jobs/{id}',
      'delete /openapi/v1/webhook-endpoints/{id}',
      'get /openapi/v1/jobs',
      'get /openapi/v1/jobs/{id}',
      'get /openapi/v1/jobs/{id}/backfills',
      'get /openapi/v1/jobs/{id}/next-fires',
      'get /openapi/v1/jobs/{id}/versions',
      'get /openapi/v1/me',
      'get /openapi/v1/tasks',
      'get /openapi/v1/tasks/{id}',
      'get /openapi/v1/tasks/{id}/logs',
      'get /openapi/v1/webhook-deliveries',
      'get /openapi/v1/webhook-deliveries/{id}',
      'get /openapi/v1/webhook-endpoints',
      'get /openapi/v1/webhook-endpoints/{id}',
      'post /openapi/v1/events',
      'post /openapi/v1/jobs',
      'post /openapi/v1/jobs/{id}/backfill',
      'post /openapi/v1/jobs/{id}/pause',
      'post /openapi/v1/jobs/{id}/restore',
      'post /openapi/v1/jobs/{id}/resume',
      'post /openapi/v1/jobs/{id}/trigger',
      'post /openapi/v1/tasks',
      'post /openapi/v1/tasks/batch',
      'post /openapi/v1/tasks/run',
      'post /openapi/v1/tasks/{id}/cancel',
      'post /openapi/v1/tasks/{id}/retry',
      'post /openapi/v1/webhook-deliveries/{id}/redeliver',
      'post /openapi/v1/webhook-endpoints',
      'post /openapi/v1/webhook-endpoints/{id}/disable',
      'post /openapi/v1/webhook-endpoints/{id}/enable',
      'post /openapi/v1/webhook-endpoints/{id}/recover',
      'post /openapi/v1/webhook-endpoints/{id}/rotate-secret',
      'post /openapi/v1/webhook-endpoints/{id}/test',
      'put /openapi/v1/jobs/{id}',
      'put /openapi/v1/webhook-endpoints/{id}',
    ]);
  });

  it('describes what receivers are sent, at endpoints and at a callbackUrl', () => {
    const { webhooks } = document as unknown as { webhooks: Record<string, Node> };
    expect(Object.keys(webhooks)).toEqual([...CALLBACK_EVENT_TYPES, 'endpoint.verification', 'webhook.ping']);
    const ids = Object.values(webhooks).map(({ post }) => post.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(at('paths', '/openapi/v1/tasks', 'post', 'callbacks', 'taskEnded')).toHaveProperty(['{$request.body#/callbackUrl}']);
  });

  it('requires the four headers together', () => {
    expect(document.security).toEqual([{ EKAccessKey: [], EKTimestamp: [], EKNonce: [], EKSignature: [] }]);
    expect(Object.keys(at('components', 'securitySchemes'))).toHaveLength(4);
  });

  it('names every code a problem may carry', () => {
    expect(at('components', 'schemas', 'ProblemCode', 'enum')).toEqual([...PROBLEM_CODES]);
  });

  it('lists the fields and parameters that are checked', () => {
    expect(Object.keys(at('components', 'schemas', 'SubmitTaskDto', 'properties')).sort()).toEqual([...SUBMISSION_FIELDS].sort());
    const parameters = at('paths', '/openapi/v1/tasks', 'get', 'parameters').map(({ name }: { name: string }) => name);
    expect(parameters.sort()).toEqual([...LIST_PARAMETERS].sort());
    const fieldsOf = (dto: string) => Object.keys(at('components', 'schemas', dto, 'properties')).sort();
    expect(fieldsOf('CreateJobDto')).toEqual([...JOB_FIELDS.create].sort());
    expect(fieldsOf('ChangeJobDto')).toEqual([...JOB_FIELDS.change].sort());
    expect(fieldsOf('TriggerJobDto')).toEqual([...JOB_FIELDS.trigger].sort());
    expect(fieldsOf('RestoreJobDto')).toEqual([...JOB_FIELDS.restore].sort());
    expect(fieldsOf('BackfillJobDto')).toEqual([...JOB_FIELDS.backfill].sort());
    expect(fieldsOf('SendEventDto')).toEqual([...EVENT_FIELDS].sort());
    expect(fieldsOf('PauseJobDto')).toEqual([...JOB_FIELDS.pause].sort());
    const jobParameters = at('paths', '/openapi/v1/jobs', 'get', 'parameters').map(({ name }: { name: string }) => name);
    expect(jobParameters.sort()).toEqual([...JOB_LIST_PARAMETERS].sort());
  });

  it('lets params and results be any JSON', () => {
    expect(at('components', 'schemas', 'SubmitTaskDto', 'properties', 'params')).not.toHaveProperty('type');
    expect(JSON.stringify(document)).not.toMatch(/x-any-json|"nullable"/);
  });

  it('shows an example of every request body and every answer, and each is what its schema describes', () => {
    const checked = new OpenApiDocument(JSON.parse(JSON.stringify(document)));
    const token = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
    for (const { id, method, path, node } of checked.operations) {
      const place = `/paths/${token(path)}/${method.toLowerCase()}`;
      expect([id, node.summary.length > 3, node.tags.length]).toEqual([id, true, 1]);
      const media: [string, Record<string, { value: unknown }>][] = [];
      const body = node.requestBody?.content['application/json'];
      if (body) media.push([`${place}/requestBody/content/application~1json/schema`, body.examples]);
      for (const [status, response] of Object.entries(node.responses) as [string, Node][]) {
        const resolved = checked.resolve(response);
        const at = response.$ref ? response.$ref.slice(1) : `${place}/responses/${status}`;
        for (const [type, content] of Object.entries((resolved.content ?? {}) as Node))
          media.push([`${at}/content/${token(type)}/schema`, content.examples]);
      }
      for (const [pointer, examples] of media) {
        expect([id, pointer, Object.keys(examples ?? {}).length > 0]).toEqual([id, pointer, true]);
        for (const [name, { value }] of Object.entries(examples))
          expect([id, name, checked.mismatches(pointer, value)]).toEqual([id, name, []]);
      }
    }
  });
});
