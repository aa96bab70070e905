/** Lists as files for spreadsheets. */

export type Cell = string | number;

/** A text that a spreadsheet would take for a formula gets a quote in front: names come from strangers. */
function cellText(cell: Cell): string {
  const text =
    typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) && !/^-?\d+(\.\d+)?$/.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvText(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
}
