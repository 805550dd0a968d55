import { stringify } from 'csv-stringify/sync';
import { type Column, exactValue } from '../contract/measured/column';

/** A text is quoted and made inert, a number is written bare, null is an empty cell. */
export type CsvValue = string | number | null;

/**
 * A spreadsheet takes a text for a formula when it begins with one of these, also behind blanks and invisible
 * characters, and in the full-width form. Apostrophes in front are looked through, so that taking one away again gives
 * back exactly the text that was put in.
 */
const formulaStart = /^'*(?:[\t\r\n\0]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;

const plainNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/** Text that no spreadsheet executes. */
export function inertText(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text;
}

/** Digits of a number; nothing for what is not finite. */
export function numberText(value: number): string {
  const text = String(value);
  return plainNumber.test(text) ? text : '';
}

/** RFC 4180: CRLF, every text quoted, numbers bare. */
export function csvText(header: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  return stringify(
    [header, ...rows].map((row) => [...row]),
    {
      record_delimiter: 'windows',
      quoted_string: true,
      cast: {
        string: (value) => inertText(value),
        number: (value) => ({
          value: numberText(value),
          quoted: false,
          quoted_string: false,
          quoted_empty: false,
        }),
      },
    },
  );
}

/** A table with the columns that have a heading in files. */
export function csvOf<Of>(all: readonly Column<Of>[], rows: readonly Of[]): string {
  const columns = all.filter(({ heading }) => heading !== null);
  return csvText(
    columns.map(({ heading }) => heading ?? ''),
    rows.map((row) => columns.map((column) => exactValue(column, row))),
  );
}
