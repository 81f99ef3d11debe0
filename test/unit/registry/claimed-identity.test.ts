import { claimedIdentity } from '../../../src/registry/claimed-identity.js';

const LIFE = '01JGEXAMP0E000000000000000';

describe('who wrote a message that is no JSON', () => {
  it.each([
    [`{"workerId":"w1","incarnation":"${LIFE}","avgCostMs":NaN`, { workerId: 'w1', incarnation: LIFE }],
    [`{ "incarnation" : "${LIFE}" , "workerId" :\n"w1" , }`, { workerId: 'w1', incarnation: LIFE }],
    ['{"workerId":"w1","later":{"workerId":"w1"}', { workerId: 'w1', incarnation: undefined }],
    ['{"checkpoint":{"workerId":"w2"},"workerId":"w1"', { workerId: undefined, incarnation: undefined }],
    ['{"message":"\\"workerId\\":\\"w2\\"","workerId":"w1"', { workerId: 'w1', incarnation: undefined }],
    ['{"workerId":7', { workerId: undefined, incarnation: undefined }],
    ['', { workerId: undefined, incarnation: undefined }],
  ])('of %j', (text, identity) => {
    expect(claimedIdentity(text)).toEqual(identity);
  });
});
