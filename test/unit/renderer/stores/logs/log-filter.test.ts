import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelOfLine, type LogLevel, logLevels } from '../../../../../renderer/format/log-level';
import { lineAtRow, rowsOf, topsOf } from '../../../../../renderer/format/wrapped-rows';
import { createLineRing } from '../../../../../renderer/stores/logs/line-ring';
import { createLogFilter } from '../../../../../renderer/stores/logs/log-filter';
import { createStepLog } from '../../../../../renderer/stores/logs/step-log';
import { createClientDouble } from '../../client-double';

describe('the level of a line', () => {
  it.each([
    ['I1121 08:17:00.123456 21533 server.cc:681] "ready"', 'info'],
    ['W1121 08:17:00.123456 21533 metrics.cc:512] "no energy"', 'warning'],
    ['E1121 08:17:00.123456 21533 model_lifecycle.cc:621] "failed"', 'error'],
    ['2025-11-21 08:17:00 ERROR something', 'error'],
    ['[WARNING] no GPU', 'warning'],
    ['INFO:root:done', 'info'],
    ['UserWarning: a cast', 'warning'],
    ['ValueError: no', 'error'],
    ['Traceback (most recent call last):', 'error'],
    ['  File "model.py", line 3', null],
    ['errors: 0 of 100', null],
  ])('%s', (line, level) => {
    expect(levelOfLine(line)).toBe(level);
  });
});

describe('the ring of lines', () => {
  it('keeps the last ones and their numbers', () => {
    const ring = createLineRing(3);
    for (const line of ['a', 'b', 'c', 'd']) ring.push(line);
    expect([ring.length, ring.first, ring.end]).toEqual([3, 1, 4]);
    expect([ring.at(0), ring.at(2), ring.at(3)]).toEqual(['b', 'd', undefined]);
    expect([ring.numbered(0), ring.numbered(1), ring.numbered(4)]).toEqual([undefined, 'b', undefined]);
  });
});

const line = fc.constantFrom('ERROR x', 'WARNING y', 'INFO x', '  deeper', 'plain x');

/** A line and its number of the entry, from the line after which none says more of its level. */
function entriesOf(lines: readonly string[]): { text: string; level: LogLevel; entry: number }[] {
  let level: LogLevel = 'info';
  let entry = 0;
  return lines.map((text) => {
    const own = levelOfLine(text);
    if (own !== null) entry += 1;
    level = own ?? level;
    return { text, level, entry };
  });
}

describe('the filter', () => {
  it('finds, line by line, what a look at all lines would find', () => {
    const batches = fc.array(fc.array(line, { maxLength: 12 }), { maxLength: 20 });
    const wishes = fc.record({
      search: fc.constantFrom('', 'x', 'X', 'deep'),
      level: fc.constantFrom('all', 'warning', 'error'),
    });
    fc.assert(
      fc.property(batches, wishes, fc.integer({ min: 0, max: 20 }), (all, wish, wishAt) => {
        const capacity = 16;
        const ring = createLineRing(capacity);
        const filter = createLogFilter(ring, capacity);
        all.forEach((batch, index) => {
          if (index === wishAt) filter.setWish(wish);
          for (const text of batch) ring.push(text);
          filter.follow();
        });
        if (all.length <= wishAt) filter.setWish(wish);
        const kept = entriesOf(all.flat()).slice(-capacity);
        const expected = kept
          .filter(
            ({ text, level }) =>
              (wish.level === 'all' || level === wish.level) &&
              text.toLowerCase().includes(wish.search.toLowerCase()),
          )
          .map(({ text }) => text);
        const found = Array.from({ length: filter.lines.length }, (_unused, index) => filter.lines.at(index));
        expect(found).toEqual(expected);
        for (const name of logLevels) {
          const entries = kept.filter(({ level }) => level === name).map(({ entry }) => entry);
          expect(filter.counts[name]).toBe(new Set(entries).size);
        }
      }),
    );
  });

  it('keeps the lines of a trace with their error, and counts them once', () => {
    const ring = createLineRing(20);
    const filter = createLogFilter(ring, 20);
    filter.setWish({ search: '', level: 'error' });
    const trace = [
      'ERROR:root:the export failed',
      'Traceback (most recent call last):',
      '  File "model.py", line 3, in export',
      '    raise ValueError(ERROR, "no")',
      'ValueError: no',
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      'Traceback (most recent call last):',
      '  File "model.py", line 5, in export',
      'RuntimeError: nor this',
    ];
    for (const text of ['INFO a', 'WARNING b', ...trace, 'INFO d']) ring.push(text);
    filter.follow();
    expect(Array.from({ length: filter.lines.length }, (_unused, at) => filter.lines.at(at))).toEqual(trace);
    expect(filter.counts).toEqual({ info: 2, warning: 1, error: 1 });
    filter.setWish({ search: '', level: 'warning' });
    expect([filter.lines.length, filter.lines.at(0)]).toEqual([1, 'WARNING b']);
  });

  it('counts errors that follow each other one by one', () => {
    const ring = createLineRing(10);
    const filter = createLogFilter(ring, 10);
    for (const text of [
      'error: a',
      'error: b',
      'Traceback (most recent call last):',
      'KeyError: c',
      'ERROR d',
    ])
      ring.push(text);
    filter.follow();
    expect(filter.counts.error).toBe(3);
  });
});

it('a step log drops the oldest lines when it is full', async () => {
  const { client } = createClientDouble({ 'runs.log': () => ['1', '2'] });
  const log = createStepLog(client, 3);
  await log.getState().open('a', 'export');
  log.getState().onEvent({ type: 'log', runId: 'a', step: 'export', lines: ['3', '4'] });
  const { lines } = log.getState();
  expect([lines.length, lines.at(0), lines.at(2)]).toEqual([3, '2', '4']);
});

describe('wrapped lines', () => {
  it('take as many rows as their columns need', () => {
    expect(['', 'abc', 'abcd', 'abcde', '\t\t', '名名'].map((text) => rowsOf(text, 4))).toEqual([
      1, 1, 1, 2, 2, 1,
    ]);
  });

  it('are found again by any of their rows', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 40 }), (lines) => {
        const tops = topsOf(lines, 5);
        lines.forEach((text, index) => {
          for (let row = 0; row < rowsOf(text, 5); row += 1) {
            expect(lineAtRow(tops, (tops[index] ?? 0) + row)).toBe(index);
          }
        });
      }),
      { numRuns: 50 },
    );
  });
});
