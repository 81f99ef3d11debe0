import { marksEscaped, marksIn, marksShown } from '../../console/src/lib/direction-marks.js';

describe('marks that turn the direction of a text', () => {
  it('are shown by their names, and nothing else of the text is touched', () => {
    expect(marksShown('photo\u202Egnp.exe \u2066x\u2069')).toBe('photo⟨U+202E⟩gnp.exe ⟨U+2066⟩x⟨U+2069⟩');
    expect(marksShown('\u0634\u200F <b> 😀')).toBe('\u0634\u200F <b> 😀');
  });

  it('are told by name and place', () => {
    expect(marksIn('{"a":"\u202Eb",\n "\u2066":1}')).toEqual([
      { mark: 'U+202E', line: 1, column: 7 },
      { mark: 'U+2066', line: 2, column: 3 },
    ]);
    expect(marksIn('{"a":"b"}')).toEqual([]);
    expect(marksIn('\u202E'.repeat(30))).toHaveLength(10);
  });

  it('are escaped in JSON, which says the same', () => {
    const json = '{"a":"\u202Eb","n":9007199254740993}';
    expect(marksEscaped(json)).toBe('{"a":"\\u202eb","n":9007199254740993}');
    expect(JSON.parse(marksEscaped(json))).toEqual(JSON.parse(json));
  });
});
