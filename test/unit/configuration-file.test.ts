import { checkConfiguration } from '../../src/decisions/check-configuration.js';
import {
  configurationText,
  differences,
  type ExportedJob,
  upstreamName,
  upstreamPlace,
} from '../../src/decisions/configuration-file.js';
import { jsonFault } from '../../src/decisions/json-fault.js';
import { placeAt, placeOf, placesOfJson } from '../../src/decisions/json-places.js';

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
