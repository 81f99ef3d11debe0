/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { parseFilterText, filterSuggestions } = jest.requireActual<{
  parseFilterText: (text: string) => { change: object; misread: { word: string; rule: string }[] };
  filterSuggestions: (text: string) => string[];
}>('../../console/src/features/tasks/filter-text');

describe('the text of the filter of tasks', () => {
  it.each<[string, object, [string, string][]]>([
    ['state:failed group:pay "a b"', { state: ['FAILED'], group: ['pay'], clientRequestId: 'a b' }, []],
    ['param.orderId:9007199254740993', { 'param.orderId': ['9007199254740993'] }, []],
    ['param.a:1 param.a:2 param.b:x', { 'param.a': ['1', '2'], 'param.b': ['x'] }, []],
    ['param.order.lines.0.sku:"A 1"', { 'param.order.lines.0.sku': ['A 1'] }, []],
    ['param.a\\.b:1', { 'param.a\\.b': ['1'] }, []],
    ['param.a\\ b\\:c:1', { 'param.a\\ b\\:c': ['1'] }, []],
    ['param.q"uo%te:1', { 'param.q"uo%te': ['1'] }, []],
    ['param.:1', { 'param.': ['1'] }, []],
    ['param.url:http://x:1', { 'param.url': ['http://x:1'] }, []],
    ['param.a', {}, [['param.a', 'empty']]],
    ['param.a:""', {}, [['param.a:""', 'empty']]],
    ['orderId:1', {}, [['orderId:1', 'name']]],
    ['-group:own', {}, [['-group:own', 'negated']]],
    ['-"a b"', {}, [['-"a b"', 'negated']]],
    ['-12', { clientRequestId: '-12' }, []],
    ['group:', {}, [['group:', 'empty']]],
    ['late:true', { late: true }, []],
    ['late:maybe', {}, [['late:maybe', 'value']]],
    ['trigger:nobody', {}, [['trigger:nobody', 'value']]],
    ['state:FAILD', {}, [['state:FAILD', 'value']]],
    ['job:nightly', { job: 'nightly' }, []],
    ['job:a job:b', { job: 'a' }, [['job:b', 'once']]],
    ['one two', { clientRequestId: 'one' }, [['two', 'once']]],
    ['group:"pay', {}, [['group:"pay', 'quote']]],
    ['handler:"a:b c" x', { handler: 'a:b c', clientRequestId: 'x' }, []],
  ])('%s', (text, change, misread) => {
    const read = parseFilterText(text);
    expect({ ...read, misread: read.misread.map(({ word, rule }) => [word, rule]) }).toEqual({ change, misread });
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
