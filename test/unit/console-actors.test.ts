/** The console is compiled by rules of its own, which the tests' compiler does not know. */
const { actorText } = jest.requireActual<{ actorText: (actor: string, t: (key: string) => string) => string }>(
  '../../console/src/lib/actor-text',
);

it.each([
  ['user:admin', 'admin'],
  ['user:user:odd', 'user:odd'],
  ['command', '<actorKind.command>'],
  ['system', '<actorKind.system>'],
  ['key:ak_live_1', 'key:ak_live_1'],
])('%s is told as %s beside what was done', (actor, told) => {
  expect(actorText(actor, (key) => `<${key}>`)).toBe(told);
});
