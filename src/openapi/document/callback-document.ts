import { CALLBACK_EVENT_TYPES } from '@evenkeel/sdk/contract';
import { PING, VERIFICATION } from '../../callbacks/attempt-delivery.js';

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

const jsonOf = (schema: string): Node => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
});

/** `schema` is of the body; `taken` is the answer that ends it. */
function request(
  summary: string,
  operationId: string,
  schema = 'CallbackEventDto',
  taken: Node = { description: 'Taken. The body is ignored.' },
): Node {
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
    requestBody: { required: true, content: jsonOf(schema) },
    responses: {
      '2XX': taken,
      '410': { description: 'Gone: this delivery ends, and a registered endpoint is disabled.' },
    },
  };
}

const VERIFY: Node = {
  ...request('An endpoint is to prove that it wants callbacks', 'on_endpoint_verification', 'EndpointEventDto', {
    description: 'Proven: the challenge of the event, within ten seconds.',
    content: jsonOf('ChallengeAnswerDto'),
  }),
  description: 'Sent when an endpoint is registered, three times at most. Until it is answered so, nothing else is sent there.',
};
const TEST: Node = {
  ...request('A test that somebody asked for', 'on_webhook_ping', 'EndpointEventDto'),
  description: 'One attempt, whatever is answered. Signed as every callback.',
};

/** What we send: to registered endpoints (`webhooks`), and to the `callbackUrl` of a task or job (`callbacks`). */
export function addCallbacks(document: { paths: Record<string, Record<string, Node>>; webhooks?: Node }): void {
  const ofTasks = CALLBACK_EVENT_TYPES.map((type) => [
    type,
    { post: request(`A task ended: ${type}`, `on_${type.replace('.', '_')}`) },
  ]);
  document.webhooks = { ...Object.fromEntries(ofTasks), [VERIFICATION]: { post: VERIFY }, [PING]: { post: TEST } };
  for (const path of ['/openapi/v1/tasks', '/openapi/v1/jobs']) {
    const operation = document.paths[path]?.post;
    if (!operation) continue;
    const name = path.endsWith('jobs') ? 'onJobTaskEnd' : 'onTaskEnd';
    operation.callbacks = { taskEnded: { '{$request.body#/callbackUrl}': { post: request('The task ended', name) } } };
  }
}
