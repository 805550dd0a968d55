import { largestOf } from '../../domain/statistics';
import { columnsOf, paint, widthOf, wrapped } from './terminal';

const gap = '  ';

type Row = readonly string[];

const longestWord = (text: string): number => largestOf(text.split(' ').map(widthOf));

/** The widths of the columns within `width`: the widest ones become narrower, no word is cut. null: it cannot be. */
function widthsWithin(
  natural: readonly number[],
  least: readonly number[],
  width: number,
): readonly number[] | null {
  const widths = [...natural];
  const room = width - gap.length * (natural.length - 1);
  let over = widths.reduce((sum, one) => sum + one, 0) - room;
  while (over > 0) {
    const reducible = widths.map((one, at) => (one > (least[at] ?? 0) ? one : 0));
    const widest = largestOf(reducible);
    if (widest === 0) return null;
    widths[reducible.indexOf(widest)] = widest - 1;
    over -= 1;
  }
  return widths;
}

const padded = (text: string, width: number, right: boolean): string => {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? `${space}${text}` : `${text}${space}`;
};

/** One block per row, for a table that is wider than the terminal. */
function records(header: Row, rows: readonly Row[], width: number): string {
  const label = largestOf(header.map(widthOf));
  return rows
    .map((row) =>
      header
        .flatMap((name, at) => {
          const cell = row[at] ?? '';
          const column = ' '.repeat(label + gap.length);
          const text = wrapped(cell, width - column.length).join(`\n${column}`);
          return cell === '' ? [] : [`${paint('title', padded(name, label, false))}${gap}${text}`];
        })
        .join('\n'),
    )
    .join('\n\n');
}

/** What takes the place of a table that is wider than the terminal. */
type Narrow = (header: Row, rows: readonly Row[], width: number) => string;

/**
 * A table with columns two spaces apart, numbers to the right. Within `width` cells are wrapped at spaces; a table that
 * does not fit even so has a line per cell, or what `narrow` makes of it.
 * @param width columns; null: as wide as it is
 */
export function formatTable(
  header: Row,
  rows: readonly Row[],
  width = columnsOf(process.stdout),
  narrow: Narrow = records,
): string {
  const cells = (column: number) => rows.map((row) => row[column] ?? '');
  const natural = header.map((name, column) => largestOf([name, ...cells(column)].map(widthOf)));
  const least = header.map((name, column) => largestOf([name, ...cells(column)].map(longestWord)));
  const widths = width === null ? natural : widthsWithin(natural, least, width);
  if (widths === null) return narrow(header, rows, width ?? 0);
  const numeric = header.map((_, column) =>
    cells(column).every((cell) => /^<?[\d.,–−-]*(?: %)?$/.test(cell)),
  );
  const lines = (row: Row, painted: (text: string) => string): readonly string[] => {
    const parts = header.map((_, column) => {
      const [cell, limit] = [row[column] ?? '', widths[column] ?? 0];
      return widthOf(cell) <= limit ? [cell] : wrapped(cell, limit);
    });
    return Array.from({ length: largestOf(parts.map((part) => part.length)) }, (_unused, at) =>
      parts
        .map((part, column) => {
          const text = part[at] ?? '';
          return padded(painted(text), widths[column] ?? 0, numeric[column] === true);
        })
        .join(gap)
        .trimEnd(),
    );
  };
  return [lines(header, (text) => paint('title', text)), ...rows.map((row) => lines(row, (text) => text))]
    .flat()
    .join('\n');
}
