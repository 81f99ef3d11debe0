import { CALLBACK_EVENT_TYPES } from '@evenkeel/sdk/contract';

type Node = Record<string, unknown>;

const HEADERS: [string, string, string][] = [
  ['webhook-id', 'The event, over every attempt. Deduplicate on it, for at least four days.', 'evt_01JGEXAMP1E000000000000000'],
  ['webhook-timestamp', 'Unix seconds of this attempt; refuse what is older than 300 s.', '1767225600'],
  [
    'webhook-signature',
    'One `v1,<base64>` per secret, newest first: HMAC-SHA256 over `id.timestamp.body`, keyed with the base64-decoded part after `whsec_`.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
  ['X-EK-Event-Type', 'For routing; not signed.', 'task.succeeded'],
  ['X-EK-Attempt', 'For people; not signed.', '1'],
];

function request(summary: string, operationId: string): Node {
  return {
    summary,
    operationId,
    description:
      'Verify the signature on the raw bytes, answer 2xx fast, expect repetitions. Anything else is sent again for three days.',
    security: [],
    parameters: HEADERS.map(([name, description, example]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
      example,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/CallbackEventDto' } } },
    },
    responses: {
      '2XX': { description: 'Taken. The body is ignored.' },
      '410': { description: 'Gone: this delivery ends, and a registered endpoint is disabled.' },
    },
  };
}

/** What we send: to registered endpoints (`webhooks`), and to the `callbackUrl` of a task or job (`callbacks`). */
export function addCallbacks(document: { paths: Record<string, Record<string, Node>>; webhooks?: Node }): void {
  document.webhooks = Object.fromEntries(
    CALLBACK_EVENT_TYPES.map((type) => [type, { post: request(`A task ended: ${type}`, `on_${type.replace('.', '_')}`) }]),
  );
  for (const path of ['/openapi/v1/tasks', '/openapi/v1/jobs']) {
    const operation = document.paths[path]?.post;
    if (!operation) continue;
    const name = path.endsWith('jobs') ? 'onJobTaskEnd' : 'onTaskEnd';
    operation.callbacks = { taskEnded: { '{$request.body#/callbackUrl}': { post: request('The task ended', name) } } };
  }
}
