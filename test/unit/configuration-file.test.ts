import { jsonFault } from '@evenkeel/sdk/contract';
import fc from 'fast-check';
import { checkConfiguration } from '../../src/decisions/check-configuration.js';
import {
  configurationText,
  differences,
  type ExportedJob,
  upstreamName,
  upstreamPlace,
} from '../../src/decisions/configuration-file.js';
import { faultOfJson, isYaml } from '../../src/decisions/configuration-source.js';
import { configurationYaml, readYaml } from '../../src/decisions/configuration-yaml.js';
import { whyNotConverted } from '../../src/decisions/convert-jobs.js';
import { placeAt, placeOf, placesOfJson } from '../../src/decisions/json-places.js';
import { mapConfiguration, type NameMap, namesOf } from '../../src/decisions/map-configuration.js';

const job = (key: string, more: Partial<ExportedJob> = {}): ExportedJob => ({
  group: 'g',
  key,
  handler: 'h',
  paramsText: '{"n":1e400}',
  schedule: { kind: 'manual' },
  ...more,
});
const group = { key: 'g', maxRunning: 1, maxPending: 2, maxDispatchRate: null, routing: null, policies: {} };

describe('the text of a configuration', () => {
  it('is the same whatever the order things were made in', () => {
    const one = configurationText([group], [job('b', { tags: ['x'], timeoutMs: 5 }), job('a')]);
    const other = configurationText([{ ...group }], [job('a'), { timeoutMs: 5, tags: ['x'], ...job('b') }]);
    expect(one).toBe(other);
    expect(JSON.parse(one).jobs.map(({ key }: ExportedJob) => key)).toEqual(['a', 'b']);
  });

  it('passes its own check', () => {
    const checked = checkConfiguration(configurationText([group], [job('a'), job('b')]), 'UTC');
    expect(checked.errors).toEqual([]);
    expect(checked.jobs.map(({ definition }) => definition.params)).toEqual(['{"n":1e400}', '{"n":1e400}']);
  });

  it('differs by what members mean, not by their order', () => {
    expect(differences({ a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } })).toEqual([]);
    expect(differences({ a: 1, b: 2 }, { a: 1, c: [3] })).toEqual([
      { field: 'b', before: '2', after: null },
      { field: 'c', before: null, after: '[3]' },
    ]);
  });

  it.each([
    ['own', 'k'],
    ['far', 'far/k'],
  ])('names a job of %s as %s', (place, name) => {
    expect(upstreamName('own', { group: place, key: 'k' })).toBe(name);
    expect(upstreamPlace('own', name)).toEqual({ group: place, key: 'k' });
  });

  it.each<[string, string, string]>([
    ['no JSON', '{', ''],
    ['a list', '[]', ''],
    ['a member that is missing', '{}', '/schema'],
    ['another file', '{"schema":"x"}', '/schema'],
    ['a later version', '{"schema":"evenkeel.configuration","schemaVersion":2}', '/schemaVersion'],
    ['no list', '{"schema":"evenkeel.configuration","schemaVersion":1,"jobs":{}}', '/jobs'],
    ['a job that is none', '{"schema":"evenkeel.configuration","schemaVersion":1,"jobs":[1]}', '/jobs/0'],
    ['unknown members', '{"schema":"evenkeel.configuration","schemaVersion":1,"x":1}', '/x'],
    ['the same twice', configurationText([group, group], []), '/groups/1/key'],
    ['params that are no text', configurationText([], [job('a', { paramsText: 1 as never })]), '/jobs/0/paramsText'],
  ])('is refused for %s', (_, text, pointer) => {
    expect(checkConfiguration(text, 'UTC').errors.map((error) => error.pointer)).toEqual([pointer]);
  });
});

describe('the places of JSON values', () => {
  it('are the lines and columns they begin on', () => {
    const text = '{\n "a": [\n  1,\n  {"b~/c": "x\\"\\n,]}"}\n ],\n "d": null, "e": {}\n}';
    const places = placesOfJson(text);
    expect(Object.fromEntries([...places].map(([pointer, { line, column }]) => [pointer, `${line}:${column}`]))).toEqual({
      '': '1:1',
      '/a': '2:7',
      '/a/0': '3:3',
      '/a/1': '4:3',
      '/a/1/b~0~1c': '4:12',
      '/d': '6:7',
      '/e': '6:18',
    });
    expect(placeOf(places, '/a/1/none/deeper')).toEqual({ line: 4, column: 3 });
    expect(placeOf(new Map(), '/x')).toBeNull();
  });

  it('are found in what is nested as deep as one likes', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`.slice(0, 400);
    expect(() => placesOfJson(deep)).not.toThrow();
  });

  it('are not kept of what only a pointer as long as a text names', () => {
    const name = 'n'.repeat(1_000_000);
    const places = placesOfJson(`{"${name}": [${'0,'.repeat(100_000)}0], "b": 1}`);
    expect([...places.keys()]).toEqual(['', '/b']);
    expect(placeOf(places, `/${name}/7`)).toEqual({ line: 1, column: 1 });
  });
});

describe('the place where a text stops being JSON', () => {
  const whole = '{"a": [1, -2.5e3, "x\\n\\u00e9", {"b": null, "c": {}}], "d": [], "e": true}';

  it('is none of JSON', () => {
    for (const text of [whole, ' [] ', '0', '"\\""', 'null', JSON.stringify(JSON.parse(whole), null, 2)])
      expect(jsonFault(text)).toBeNull();
  });

  it.each([
    ['{"a": 1,}', 8],
    ['{"a":\n x}', 7],
    ['[1, 2', 5],
    ['{"a" 1}', 1],
    ['[01]', 2],
    ['{} {}', 3],
    ['', 0],
    ['["a\nb"]', 1],
  ])('is told of %j', (text, offset) => {
    expect(jsonFault(text)).toBe(offset);
  });

  it.each([
    ['{"jobs": [{"key": }]}', '1:19', 'a value of /jobs/0/key'],
    ['{"jobs": [{"key": "a"\n "group": "b"}]}', '2:2', 'a comma or }, after /jobs/0/key'],
    ['[1 2]', '1:4', 'a comma or ], after /0'],
    ['{"a": 1,}', '1:9', 'the name of a member in double quotes, and a colon, after /a'],
    ['{} x', '1:4', 'the end of the text'],
    ['hello', '1:1', 'a value'],
  ])('is told with what was expected there: %j', (text, place, expected) => {
    const fault = faultOfJson(text);
    expect([`${fault?.place.line}:${fault?.place.column}`, fault?.message]).toEqual([place, `is not JSON: expected ${expected}`]);
  });

  it('is where more is nested than any definition needs, found without room for each level', () => {
    const levels = (n: number) => `${'['.repeat(n)}${']'.repeat(n)}`;
    expect(faultOfJson(levels(1_000))).toBeNull();
    expect(faultOfJson(levels(1_001))).toMatchObject({ place: { line: 1, column: 1_001 }, expected: 'less_depth', near: null });
    expect(faultOfJson('{"a":'.repeat(1_000_000))?.message).toBe('is not JSON: expected fewer lists and objects in one another');
    expect(checkConfiguration('['.repeat(4_000_000), 'UTC').errors).toMatchObject([
      { code: 'bad_format', expected: 'less_depth' },
    ]);
  });

  it('is told of a file that is imported, and of one that is converted', () => {
    const text = '{"schema": "evenkeel.configuration",\n "jobs": [{"key" "a"}]}';
    expect(checkConfiguration(text, 'UTC').errors).toEqual([
      {
        ...{ pointer: '', code: 'bad_format', line: 2, column: 12, expected: 'name', near: '/jobs/0' },
        message: 'is not JSON: expected the name of a member in double quotes, and a colon, after /jobs/0',
      },
    ]);
    expect(whyNotConverted('xxl-job', '- id: 1\n')).toBe(
      'line 1, column 1: is not JSON: expected a value; it must hold rows of xxl_job_info as JSON, with the members executorHandler or glueType',
    );
    expect(whyNotConverted('powerjob', '[{"id": 1}]')).toBe(
      'it holds no rows of job_info as JSON, with the members processorInfo or timeExpressionType',
    );
  });

  it('is no fault of the schema of what is no object at all', () => {
    for (const text of ['hello', '- 1\n- 2\n', '<jobs/>'])
      expect(checkConfiguration(text, 'UTC', isYaml(text) ? readYaml : undefined).errors).toMatchObject([
        { pointer: '', code: 'wrong_type', line: 1, column: 1 },
      ]);
    expect(['{', ' [1', 'a: 1', 'hello'].map(isYaml)).toEqual([false, false, true, true]);
  });

  it('is found in exactly the texts that the engine refuses', () => {
    const refused = (text: string): boolean => {
      try {
        JSON.parse(text);
        return false;
      } catch {
        return true;
      }
    };
    let wrong = 0;
    for (let at = 0; at < whole.length; at++)
      for (const put of ['', ',', '"', '}', ']', '0', '\\', ':', 'n', ' ']) {
        const text = whole.slice(0, at) + put + whole.slice(at + 1);
        if (refused(text)) wrong += 1;
        expect([text, jsonFault(text) !== null]).toEqual([text, refused(text)]);
      }
    expect(wrong).toBeGreaterThan(300);
    expect(placeAt('a\nbc', 3)).toEqual({ line: 2, column: 2 });
  });
});

describe('a configuration as YAML', () => {
  const yaml = (jobs: ExportedJob[], groups = [group]) => [...configurationYaml(groups, jobs)].join('');

  it('means what the JSON of it means, whatever its texts are', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('1.10', 'no', '~', '- x', '# c', 'a: b', '\u0085\u2028', '\r\n\t', '2026-01-01', '0x1F', '*a', '&a', '!x'),
    );
    fc.assert(
      fc.property(
        texts,
        texts,
        fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
        (handler, tag, metadata) => {
          const jobs = [job('a', { handler, tags: [tag, tag], metadata: { [tag]: metadata } as never }), job('b')];
          const text = yaml(jobs);
          const read = readYaml(text);
          if ('broken' in read) throw new Error(`${read.broken.message}: ${text}`);
          expect(read.file).toEqual(JSON.parse(configurationText([group], jobs)));
        },
      ),
      { numRuns: 300 },
    );
    expect(yaml([], [])).toBe('schema: evenkeel.configuration\nschemaVersion: 1\ngroups: []\njobs: []\n');
  });

  it('is read with the place of what is wrong in it', () => {
    const text = yaml([job('a'), job('b')]).replace('handler: h', 'handler: 7');
    const checked = checkConfiguration(text, 'UTC', readYaml);
    const at = text.indexOf('handler: 7');
    expect(checked.errors).toMatchObject([
      {
        pointer: '/jobs/0/handler',
        code: 'wrong_type',
        line: text.slice(0, at).split('\n').length,
        column: at - text.lastIndexOf('\n', at) + 9,
      },
    ]);
    expect(checked.jobs.map(({ key }) => key)).toEqual(['b']);
  });

  it.each<[string, string, number | null]>([
    ['no YAML', 'schema: evenkeel.configuration\njobs: [\n', 3],
    ['a member twice', 'schema: x\nschema: y\n', 2],
    ['a tag of its own', 'schema: !!js/function x\n', 1],
    [
      'a million laughs',
      `a: &a [x]\n${'bcdefghij'
        .split('')
        .map((name, i) => `${name}: &${name} [${`*${'abcdefghi'[i]},`.repeat(9)}]`)
        .join('\n')}\n`,
      null,
    ],
    ['a deep well', `a: ${'['.repeat(100_000)}`, 1],
  ])('is refused as %s, with the line', (_, text, line) => {
    expect(checkConfiguration(text, 'UTC', readYaml).errors).toMatchObject([{ pointer: '', code: 'bad_format', line }]);
  });
});

describe('a file whose names are mapped', () => {
  const text = configurationText(
    [group, { ...group, key: 'far', maxRunning: 9 }],
    [
      job('a', { owner: 'ann' }),
      job('b', { upstreams: ['far/c'] as never, schedule: { kind: 'upstream' } }),
      job('c', { group: 'far', owner: 'bob' }),
    ],
  );
  const mapped = (names: NameMap, there: string[] = []) =>
    mapConfiguration(checkConfiguration(text, 'UTC'), names, (key) => there.includes(key));

  it('is as if it had been written with the other names', () => {
    expect(namesOf(checkConfiguration(text, 'UTC'))).toEqual({ groups: ['far', 'g'], owners: ['ann', 'bob'] });
    const { groups, jobs, errors } = mapped({ groups: { far: 'near' }, owners: { ann: 'eve' } });
    expect(errors).toEqual([]);
    expect(groups.map(({ key }) => key)).toEqual(['near', 'g']);
    expect(jobs.map(({ group, key, definition }) => [group, key, definition.owner ?? null])).toEqual([
      ['near', 'c', 'bob'],
      ['g', 'a', 'eve'],
      ['g', 'b', null],
    ]);
    expect(jobs.at(-1)?.upstreams).toEqual([{ group: 'near', key: 'c' }]);
  });

  it('brings no settings for a group that is there, and says which jobs would be one', () => {
    expect(mapped({ groups: { far: 'near' } }, ['near']).groups.map(({ key }) => key)).toEqual(['g']);
    expect(mapped({ groups: { far: 'g' } }).groups).toMatchObject([{ key: 'g', maxRunning: 1 }]);
    const clash = checkConfiguration(text.replace('"key": "c"', '"key": "a"').replace('far/c', 'far/a'), 'UTC');
    expect(mapConfiguration(clash, { groups: { far: 'g' } }, () => false).errors).toMatchObject([
      { code: 'not_unique', line: expect.any(Number) },
    ]);
    expect(mapped({ groups: { far: 'not a key' } }).errors).toMatchObject([{ pointer: '/groups' }]);
  });
});
