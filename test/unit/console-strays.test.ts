/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { straysIn, findsNothing, withoutStray, parseSearch, stringifySearch } = jest.requireActual('../../console/src/lib/search');

const RULES = {
  names: ['state', 'group', 'job', 'late'],
  repeated: ['state', 'group'],
  values: { state: ['FAILED', 'RUNNING'], late: ['true'] },
  prefix: 'param.',
};

describe('parts of an address that a list does not understand', () => {
  it.each<[string, [string, string, string][], boolean]>([
    ['', [], false],
    ['state=failed&state=RUNNING&group=a&group=b&param.x=1', [], false],
    ['state=FAILD', [['state', 'FAILD', 'value']], true],
    ['state=FAILED&state=FAILD', [['state', 'FAILD', 'value']], true],
    ['late=maybe', [['late', 'maybe', 'value']], true],
    ['job=a&job=b', [['job', 'b', 'repeated']], true],
    ['stat=FAILED', [['stat', 'FAILED', 'name']], false],
  ])('%s', (address, strays, nothing) => {
    const found = straysIn(parseSearch(address), RULES);
    expect(found.map(({ name, value, fault }: Record<string, string>) => [name, value, fault])).toEqual(strays);
    expect(findsNothing(found)).toBe(nothing);
  });

  it('are taken out one by one, and the rest of the address stays', () => {
    const raw = parseSearch('state=FAILED&state=FAILD&job=a&job=a&stat=x');
    let address = raw;
    const seen = [];
    for (let [stray] = straysIn(address, RULES); stray; [stray] = straysIn(address, RULES)) {
      address = withoutStray(address, stray);
      seen.push(stringifySearch(address));
    }
    expect(seen).toEqual(['?state=FAILED&job=a&job=a&stat=x', '?state=FAILED&job=a&stat=x', '?state=FAILED&job=a']);
  });
});
