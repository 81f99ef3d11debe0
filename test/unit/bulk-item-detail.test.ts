import { itemDetail, partsOfDetail } from '../../src/admin/bulk/item-detail.js';

describe('why an item of a bulk action was not acted on', () => {
  it.each<[string | null, string | null, string | null]>([
    [itemDetail('already_ended', 'SUCCEEDED'), 'already_ended', 'SUCCEEDED'],
    [itemDetail('key_taken', 'the group a has a job: b'), 'key_taken', 'the group a has a job: b'],
    [itemDetail('there_already', ''), 'there_already', ''],
    ['not_found', 'not_found', null],
    ['priority: must be from 1 to 10', null, 'priority: must be from 1 to 10'],
    ['retention', null, 'retention'],
    ['the group a has a job with the key b', null, 'the group a has a job with the key b'],
    ['is RUNNING', null, 'is RUNNING'],
    [null, null, null],
  ])('is read from %j', (kept, code, detail) => {
    expect(partsOfDetail(kept)).toEqual({ code, detail });
  });

  it('is kept as far as there is room', () => {
    expect(itemDetail('state_conflict', 'x'.repeat(300))).toHaveLength(255);
  });
});
