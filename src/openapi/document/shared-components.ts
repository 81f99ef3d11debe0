import { EK1_PATTERNS } from '@evenkeel/sdk/contract';

const HEADERS: Record<string, { description: string; schema: object; example?: string }> = {
  'X-Request-Id': {
    description: 'Names this request in our logs.',
    schema: { type: 'string' },
    example: 'req_01JGEXAMP1E000000000000000',
  },
  RateLimit: {
    description: 'What is left of each policy (r) and the seconds until there is more (t). On every answer to a known sender.',
    schema: { type: 'string' },
    example: '"app";r=39;t=1, "key";r=39;t=1, "tasks";r=999;t=1',
  },
  'RateLimit-Policy': {
    description: 'Burst (q) and the seconds in which it refills (w) of each policy.',
    schema: { type: 'string' },
    example: '"app";q=40;w=2, "key";q=40;w=2, "tasks";q=1000;w=5',
  },
  'Retry-After': { description: 'Whole seconds.', schema: { type: 'integer', minimum: 1 } },
  Location: { description: 'Where it is.', schema: { type: 'string', format: 'uri-reference' } },
  'Idempotent-Replayed': {
    description: 'Present if it existed before this request.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Evenkeel-Warnings': {
    description: 'Codes of the warnings that looking at the job tells in words; absent if there is none.',
    schema: { type: 'string' },
    example: 'no_common_flow',
  },
  'WWW-Authenticate': {
    description: 'The scheme to sign with.',
    schema: { type: 'string' },
    example: 'EK1-HMAC-SHA256 realm="openapi"',
  },
};

export const header = (name: string): { $ref: string } => ({ $ref: `#/components/headers/${name}` });
export const sharedHeaders = (): Record<string, object> => structuredClone(HEADERS);

const inHeader = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
/** Four headers that are required together: one security requirement with four members. */
export const SECURITY_SCHEMES = {
  EKAccessKey: inHeader('X-EK-Access-Key', `The access key, ${EK1_PATTERNS.partnerKey.source}`),
  EKTimestamp: inHeader('X-EK-Timestamp', 'Unix seconds, at most 300 from the server clock'),
  EKNonce: inHeader('X-EK-Nonce', `Fresh for every HTTP attempt, ${EK1_PATTERNS.nonce.source}`),
  EKSignature: inHeader('X-EK-Signature', 'v1= and 64 hex digits of HMAC-SHA256, see Signing'),
};
