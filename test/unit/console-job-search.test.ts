/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { typedSearch } = jest.requireActual<{ typedSearch: (text: string) => Record<string, string | undefined> }>(
  '../../console/src/features/jobs/search',
);

describe('what is typed to find jobs', () => {
  it.each([
    ['settle', { q: 'settle' }],
    ['nightly settlement', { q: 'nightly settlement' }],
    ['owner:ops tag:night', { q: undefined, owner: 'ops', tag: 'night' }],
    ['handler:pay:settle settle', { q: 'settle', handler: 'pay:settle' }],
    ['app:app_01 owner: x', { app: 'app_01', q: 'owner: x' }],
    ['owner:"night shift" tag:"a:b" "two words"', { owner: 'night shift', tag: 'a:b', q: 'two words' }],
    ['group:pay', { q: 'group:pay' }],
    ['   ', { q: undefined }],
  ])('%j', (text, found) => expect(typedSearch(text)).toEqual(found));
});
