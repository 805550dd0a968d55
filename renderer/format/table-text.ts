/** Words of a cell on one line: parts on lines of their own are joined by a space. */
function cellWords(cell: Element): string {
  const words: string[] = [];
  const walker = cell.ownerDocument.createTreeWalker(cell, 4 /* NodeFilter.SHOW_TEXT */);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    words.push((node.textContent ?? '').replace(/\s+/g, ' ').trim());
  return words.filter(Boolean).join(' ');
}

/** A cell that a spreadsheet would calculate; numbers with a sign are none. */
const formula = /^[=@]|^[+-](?![\d\s.,∞])/;

/** A table as tab-separated lines, for spreadsheets; cells over several columns are followed by empty ones. */
export function tableText(table: HTMLTableElement): string {
  return Array.from(table.rows, (row) =>
    Array.from(row.cells)
      .flatMap((cell) => {
        const words = cellWords(cell);
        const safe = formula.test(words) ? `'${words}` : words;
        return [safe, ...Array.from({ length: cell.colSpan - 1 }, () => '')];
      })
      .join('\t'),
  ).join('\n');
}
