// Cells as spreadsheet programs copy them: tabs between cells, lines between rows, quotation marks
// around what has one of these itself.

/** Return the rows of a text. */
export function parseTsv(text: string): string[][] {
  const rows: string[][] = [];
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const cell = /(?:^|[\t\n])(?:"((?:[^"]|"")*)"(?=[\t\n]|$)|([^\t\n]*))/g;
  for (const { 0: whole, 1: quoted, 2: plain } of lines.matchAll(cell)) {
    if (!rows.length || whole.startsWith('\n')) {
      rows.push([]);
    }
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
  }
  return rows;
}

/** Return rows as one text. */
export function writeTsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(quote).join('\t')).join('\n');
}

function quote(cell: string): string {
  return /["\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
