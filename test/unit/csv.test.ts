import { csvLine } from '../../src/admin/export/csv.js';

describe('a line of a CSV file', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', ' \t=1', '\n=1', '|calc', '＝1+1', '＋1', '－1', '＠SUM(A1)'])(
    'holds no formula: %j',
    (cell) => {
      expect(csvLine([cell])).toMatch(/^"?'/);
    },
  );

  it('leaves other text and numbers as they are', () => {
    expect(csvLine(['a=1', 'a,"b"\n', -1, null, '结算'])).toBe('a=1,"a,""b""\n",-1,,结算\r\n');
  });
});
