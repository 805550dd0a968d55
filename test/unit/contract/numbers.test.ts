import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exactMs,
  formatBytes,
  formatDuration,
  formatFixed,
  formatHalfWidth,
  formatMeasured,
  formatMs,
  formatRate,
  formatScale,
  formatShare,
  formatTyped,
} from '../../../main/contract/numbers';

const asIntl = (value: number, minimumFractionDigits: number, maximumFractionDigits: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits, maximumFractionDigits }).replace('-', '−');

describe('numbers', () => {
  it('are written as Intl writes them, with a minus sign', () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ min: -1e7, max: 1e7, noNaN: true }),
      fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }).map((whole) => whole / 1e5),
      fc.constantFrom(-0, 0, 0.5, 1.5, 2.5, 1.005, 999.9995, 0.99995, 1e21, 1e-7, -0.00001),
    );
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1, 2, 3, 4), (given, digits) => {
        const least = 10 ** -digits;
        const below = given > 0 && given < least / 2;
        expect(formatFixed(given, digits)).toBe(
          `${below ? '<' : ''}${asIntl(below ? least : given, digits, digits)}`,
        );
        expect(formatTyped(given)).toBe(asIntl(given, 0, 3));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    [2034.4, '2,034'],
    [999.94, '999.9'],
    [999.96, '1,000'],
    [45.678, '45.68'],
    [12.345, '12.35'],
    [9.9996, '10.00'],
    [0.9994, '0.999'],
    [0.9996, '1.00'],
    [0.0001, '<0.001'],
    [0, '0'],
  ])('%d inferences/s', (value, text) => {
    expect(formatRate(value)).toBe(text);
  });

  it.each([
    [0.2, '<0.001'],
    [421, '0.421'],
    [1849, '1.85'],
    [22_884, '22.88'],
    [123_456, '123.5'],
    [2_345_678, '2,346'],
  ])('%d µs in ms', (us, text) => {
    expect(formatMs(us)).toBe(text);
    // People see what a file has, rounded.
    expect(formatMeasured(exactMs(us))).toBe(text);
  });

  it.each([
    [4, '4 µs'],
    [38_000, '38 ms'],
    [1_234_567, '1.2 s'],
    [59_400_000, '59.4 s'],
    [59_960_000, '1 min 00 s'],
    [125_000_000, '2 min 05 s'],
    [3_720_000_000, '1 h 02 min'],
  ])('%d µs of a step', (us, text) => {
    expect(formatDuration(us)).toBe(text);
  });

  it.each([
    [512, '512 bytes'],
    [102_400, '100.0 KiB'],
    [12 * 2 ** 20, '12.0 MiB'],
    [7.1 * 2 ** 30, '7.1 GiB'],
  ])('%d bytes', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('differences over many decades', () => {
    const texts = JSON.parse(readFileSync('test/fixtures/scale-texts.json', 'utf8')) as [number, string][];
    expect(texts.map(([value]) => [value, formatScale(value)])).toEqual(texts);
  });

  it('half the width of an interval has the decimals of its value', () => {
    expect([formatHalfWidth(20, 1234), formatHalfWidth(0.4, 12), formatHalfWidth(0.4, 1234)]).toEqual([
      '20',
      '0.40',
      '<1',
    ]);
  });

  it('typed values keep their digits', () => {
    expect([formatTyped(20), formatTyped(0.5), formatTyped(1500), formatTyped(33.3334)]).toEqual([
      '20',
      '0.5',
      '1,500',
      '33.333',
    ]);
  });

  it('what is not known is missing', () => {
    for (const format of [formatRate, formatMs, formatDuration, formatBytes, formatScale, formatShare]) {
      for (const value of [null, undefined, NaN, Infinity]) expect(format(value)).toBe('–');
    }
  });
});
