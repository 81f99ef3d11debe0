import type { Check } from '../check.js';
import { type CheckRun, Fault, PARTITION, said } from '../check-run.js';
import type { CallChange } from '../worker-caller.js';

const FORGERIES: [string, CallChange][] = [
  [
    'without X-EK headers',
    { headers: { 'x-ek-signature': undefined, 'x-ek-access-key': undefined, 'x-ek-timestamp': undefined } },
  ],
  ['without X-EK-Signature', { headers: { 'x-ek-signature': undefined } }],
  ['signed with another secret', { secret: 'not-the-secret' }],
  ['in the name of another key', { accessKey: 'wk_0000000000000000' }],
  ['signed for another body', { signedBody: '{"another":"body"}' }],
  ['whose timestamp is 302 s old', { skewSeconds: -302 }],
  ['whose timestamp is 302 s ahead', { skewSeconds: 302 }],
  ['whose signature has another form', { headers: { 'x-ek-signature': `v1=${'0'.repeat(63)}` } }],
];

export const SIGNATURE_CHECKS: Check[] = [
  {
    title: 'answers what the centre signed',
    async run(run) {
      const health = await run.health();
      const { workerId, incarnation } = run.identity;
      if (health.workerId !== workerId || health.incarnation !== incarnation)
        throw new Fault(
          `GET /health names ${health.workerId} / ${health.incarnation}, registered is ${workerId} / ${incarnation}`,
        );
      return [];
    },
  },
  {
    title: 'refuses everything else with 401',
    async run(run) {
      const faults: string[] = [];
      const order = { ...run.order({ handler: 'evenkeel.check.forged', params: null }) };
      for (const [what, change] of FORGERIES) {
        for (const [method, path, body] of requests(run, order)) {
          if (method === 'GET' && change.signedBody !== undefined) continue;
          const { status, text } = await run.caller.call(method, path, body, change);
          if (status !== 401) faults.push(`${method} ${path} ${what} is answered ${said(status, text)} instead of 401`);
        }
      }
      return faults;
    },
  },
];

function requests(run: CheckRun, order: object): [string, string, unknown][] {
  return [
    ['POST', '/run', run.request([order], { partition: PARTITION + 1 })],
    ['POST', '/cancel', { tasks: [] }],
    ['GET', '/health', undefined],
  ];
}
