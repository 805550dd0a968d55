import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvText, inertText, numberText } from '../../../main/reports/csv';
import { hostileStrings } from '../../support/hostile-strings';
import { parseCsv } from '../../support/parse-csv';

/** What a spreadsheet looks at: the first character that shows. */
const firstShown = (text: string) => text.replace(/^[\s\p{Cc}\p{Cf}]+/u, '').slice(0, 1);

/** As a reader would do it: an apostrophe that guards something is not part of the text. */
const unquoted = (cell: string) =>
  cell.startsWith("'") &&
  /^'+[\s\p{Cc}\p{Cf}]*(?:[=+\-@＝＋－＠]|$)|^'+[\t\r\n\0]/u.test(cell) &&
  inertText(cell.slice(1)) === cell
    ? cell.slice(1)
    : cell;

describe('csvText', () => {
  it('keeps every hostile text a text and loses nothing of it', () => {
    expect(hostileStrings.length).toBeGreaterThan(550);
    const risky = '=+-@＝＋－＠\t\r\n\0'.split('');
    for (const text of hostileStrings) {
      const [, row] = parseCsv(csvText(['text', 'number'], [[text, -1.5]]));
      const cell = row?.[0] ?? '';
      expect(row, JSON.stringify(text)).toEqual([cell, '-1.5']);
      expect(risky, JSON.stringify(text)).not.toContain(firstShown(cell));
      expect(risky, JSON.stringify(text)).not.toContain(cell.slice(0, 1));
      expect(unquoted(cell)).toBe(text);
    }
  });

  it('guards headings too', () => {
    expect(parseCsv(csvText(['=1'], []))).toEqual([["'=1"]]);
  });

  it('quotes every text and no number, ends records with CRLF', () => {
    expect(
      csvText(
        ['a', 'b'],
        [
          ['x"y', 2],
          [null, 0],
        ],
      ),
    ).toBe('"a","b"\r\n"x""y",2\r\n,0\r\n');
  });
});

describe('numberText', () => {
  it('gives digits that read back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = numberText(value);
        expect(text).toMatch(/^(-?\d+(\.\d+)?(e[+-]?\d+)?)$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it('leaves out what is no number', () => {
    expect([NaN, Infinity, -Infinity].map(numberText)).toEqual(['', '', '']);
  });
});
