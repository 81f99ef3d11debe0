import { marksEscaped, marksShown } from '../../console/src/lib/direction-marks.js';

describe('marks that turn the direction of a text', () => {
  it('are shown by their names, and nothing else of the text is touched', () => {
    expect(marksShown('photo\u202Egnp.exe \u2066x\u2069')).toBe('photo⟨U+202E⟩gnp.exe ⟨U+2066⟩x⟨U+2069⟩');
    expect(marksShown('\u0634\u200F <b> 😀')).toBe('\u0634\u200F <b> 😀');
  });

  it('are escaped in JSON, which says the same', () => {
    const json = '{"a":"\u202Eb","n":9007199254740993}';
    expect(marksEscaped(json)).toBe('{"a":"\\u202eb","n":9007199254740993}');
    expect(JSON.parse(marksEscaped(json))).toEqual(JSON.parse(json));
  });
});
