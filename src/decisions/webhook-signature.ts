import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * `webhook-signature` of Standard Webhooks 1.0.0: one signature per secret, newest first. Unlike the secrets of access keys these are
 * base64 after their prefix, as the receivers' libraries expect.
 */
export function webhookSignature(secrets: readonly string[], eventId: string, unixSeconds: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
      return `v1,${createHmac('sha256', key).update(`${eventId}.${unixSeconds}.${body}`, 'utf8').digest('base64')}`;
    })
    .join(' ');
}
