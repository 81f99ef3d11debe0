/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { parseFilterText, filterSuggestions } = jest.requireActual<{
  parseFilterText: (text: string) => { change: object; unknown: string[] };
  filterSuggestions: (text: string) => string[];
}>('../../console/src/features/tasks/filter-text');

describe('the text of the filter of tasks', () => {
  it.each<[string, object, string[]]>([
    ['state:failed group:pay "a b"', { state: ['FAILED'], group: ['pay'], clientRequestId: 'a b' }, []],
    ['param.orderId:9007199254740993', { 'param.orderId': ['9007199254740993'] }, []],
    ['param.a:1 param.a:2 param.b:x', { 'param.a': ['1', '2'], 'param.b': ['x'] }, []],
    ['param.order.lines.0.sku:"A 1"', { 'param.order.lines.0.sku': ['A 1'] }, []],
    ['param.a\\.b:1', { 'param.a\\.b': ['1'] }, []],
    ['param.a\\ b\\:c:1', { 'param.a\\ b\\:c': ['1'] }, []],
    ['param.q"uo%te:1', { 'param.q"uo%te': ['1'] }, []],
    ['param.:1', { 'param.': ['1'] }, []],
    ['param.url:http://x:1', { 'param.url': ['http://x:1'] }, []],
    ['param.a', {}, ['param.a']],
    ['param.a:""', {}, ['param.a:""']],
    ['orderId:1', {}, ['orderId']],
  ])('%s', (text, change, unknown) => {
    expect(parseFilterText(text)).toEqual({ change, unknown });
  });

  it.each<[string, string[]]>([
    ['', []],
    ['par', ['parentId:', 'param.']],
    ['state:failed orderId:12', ['state:failed param.orderId:12']],
    ['group:pay state:t', ['group:pay state:timed_out']],
    ['param.orderId:1', []],
    ['group:pay', []],
    ['task_01j', []],
  ])('%s may become %j', (text, suggestions) => {
    expect(filterSuggestions(text)).toEqual(suggestions);
  });
});
