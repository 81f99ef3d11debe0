/** Makes a spreadsheet take the file for UTF-8. */
export const CSV_BEGIN = '\uFEFF';

/** What a formula begins with; spreadsheets of East Asia take the full-width forms for the same. */
const FORMULA = /^\s*[=+\-@\t\r|%＝＋－＠]/;

/** A line of RFC 4180. A cell that a spreadsheet would take for a formula is led by an apostrophe, which it shows as text. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
