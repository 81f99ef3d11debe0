/** Rooms of the house, from the ground up; each may use the floors below it and never the reverse. */
const CONTRACT = '^sdk/(src|dist)/contract/';
const GROUND = ['^src/ports\\.ts$', '^src/decisions/', '^src/platform/', CONTRACT];
const MIDDLE = ['auth', 'jobs', 'registry', 'callbacks'];
const room = (name) => `^src/${name}/`;

/** Ours, whatever the room: everything that is neither a package nor part of Node. */
const OURS = '^(src|sdk|migrations|console)/';
const may = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: OURS, pathNot: [from, ...allowed] },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A circle has no lower floor, so nobody can read it from the bottom up.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    may(
      'contract',
      CONTRACT,
      [],
      'The wire types stand on nothing: both sides of the wire and other repositories take them as they are.',
    ),
    may(
      'sdk',
      '^sdk/(src|dist)/',
      [],
      'The SDK is published alone; whatever it took from the server would have to be published too.',
    ),
    may('ports', '^src/ports\\.ts$', [], 'A port states what differs between a laptop and a cluster; it knows neither.'),
    may(
      'decisions',
      room('decisions'),
      [CONTRACT],
      'Rules are pure functions of their arguments; nothing they import may bring a clock, a database or a framework.',
    ),
    may(
      'platform',
      room('platform'),
      [CONTRACT, '^src/ports\\.ts$'],
      'The platform is what every module stands on, so it stands on the contract and the ports alone.',
    ),
    may(
      'entities',
      '^src/entities\\.ts$',
      ['\\.entity\\.ts$'],
      'The list of tables names the entities and nothing else of their rooms.',
    ),
    may(
      'entity',
      '\\.entity\\.ts$',
      [room('platform')],
      'An entity maps a table; were it to use its room, the back ends would depend on every room.',
    ),
    may(
      'backends',
      room('backends'),
      ['^src/ports\\.ts$', room('platform'), '^src/entities\\.ts$', '^migrations/'],
      'Adapters know the ports, the tables and their technology, never what a module does with them.',
    ),
    ...MIDDLE.map((name) =>
      may(
        name,
        room(name),
        GROUND,
        `${name} is used by tasks and dispatch, not the reverse, and its neighbours on the floor do not know each other.`,
      ),
    ),
    may(
      'tasks',
      room('tasks'),
      [...GROUND, room('callbacks'), room('jobs')],
      'Tasks write the callback outbox and read groups; they do not know who dispatches them.',
    ),
    may(
      'dispatch',
      room('dispatch'),
      [...GROUND, ...MIDDLE.map(room), room('tasks')],
      'The loops use everything below them; no partner or operator face may leak into them.',
    ),
    may(
      'openapi',
      room('openapi'),
      [...GROUND, ...MIDDLE.map(room), room('tasks'), room('dispatch')],
      "The partners' face uses the house and is used by nobody.",
    ),
    may(
      'admin',
      room('admin'),
      [...GROUND, ...MIDDLE.map(room), room('tasks'), room('dispatch')],
      "The console's face uses the house, as the partners' does; neither knows the other.",
    ),
    may(
      'alerts',
      room('alerts'),
      [...GROUND, ...MIDDLE.map(room), room('tasks'), room('dispatch')],
      'Alerts watch the house and are used by nobody.',
    ),
    {
      name: 'commands',
      comment: 'A command is over in a moment; the faces and the loops take longer to load than it takes to run.',
      severity: 'error',
      from: { path: '^src/cli/(?!start\\.ts$)' },
      to: { path: ['^src/(app\\.module|main)\\.ts$', room('openapi'), room('admin')], dependencyTypesNot: ['type-only'] },
    },
    may(
      'console-lib',
      '^console/src/(lib|i18n)/',
      [CONTRACT, '^console/src/(lib|i18n|api)/'],
      "The console's lowest floor: texts, times, the address it lives under.",
    ),
    may(
      'console-api',
      '^console/src/api/',
      [CONTRACT, '^src/admin/contract/', '^console/src/(lib|i18n)/'],
      'What speaks to the server draws nothing; of the server it knows the types alone.',
    ),
    may(
      'console-components',
      '^console/src/components/',
      [CONTRACT, '^src/admin/contract/', '^console/src/(api|lib|i18n)/'],
      'A component is used by several pages and knows none.',
    ),
    {
      name: 'console-features',
      comment: 'A feature may be taken out without another one noticing.',
      severity: 'error',
      from: { path: '^console/src/features/([^/]+)/' },
      to: {
        path: OURS,
        pathNot: [CONTRACT, '^src/admin/contract/', '^console/src/(components|api|lib|i18n)/', '^console/src/features/$1/'],
      },
    },
    may(
      'console-app',
      '^console/src/(app/|main)',
      [CONTRACT, '^src/admin/contract/', '^console/src/'],
      "The frame brings the pages together; of the server it knows the contract's types alone.",
    ),
    {
      name: 'backends-are-plugged-in-once',
      comment: 'Modules ask for a port; only the map of the application and the commands choose the adapters.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/backends/', '^src/app\\.module\\.ts$', '^src/main\\.ts$', '^src/cli/'] },
      to: { path: '^src/backends/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^sdk/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'require', 'node', 'default'],
      extensions: ['.ts', '.js', '.d.ts'],
    },
  },
};
