import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelOfLine, logLevels } from '../../../../../renderer/format/log-level';
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

describe('the filter', () => {
  it('finds, line by line, what a look at all lines would find', () => {
    const batches = fc.array(fc.array(line, { maxLength: 12 }), { maxLength: 20 });
    const wishes = fc.record({
      search: fc.constantFrom('', 'x', 'X', 'deep'),
      level: fc.constantFrom(...logLevels),
    });
    fc.assert(
      fc.property(batches, wishes, fc.integer({ min: 0, max: 20 }), (all, wish, wishAt) => {
        const capacity = 16;
        const ring = createLineRing(capacity);
        const filter = createLogFilter(ring, capacity);
        const levels: number[] = [];
        let last = 0;
        all.forEach((batch, index) => {
          if (index === wishAt) filter.setWish(wish);
          for (const text of batch) {
            ring.push(text);
            const level = levelOfLine(text);
            if (level !== null) last = logLevels.indexOf(level);
            levels.push(last);
          }
          filter.follow();
        });
        if (all.length <= wishAt) filter.setWish(wish);
        const lines = all.flat();
        const kept = lines.map((text, number) => ({ text, level: levels[number] ?? 0 })).slice(-capacity);
        const expected = kept
          .filter(
            ({ text, level }) =>
              level >= logLevels.indexOf(wish.level) &&
              text.toLowerCase().includes(wish.search.toLowerCase()),
          )
          .map(({ text }) => text);
        const found = Array.from({ length: filter.lines.length }, (_unused, index) => filter.lines.at(index));
        expect(found).toEqual(expected);
        logLevels.forEach((name, rank) => {
          expect(filter.counts[name]).toBe(kept.filter(({ level }) => level === rank).length);
        });
      }),
    );
  });

  it('keeps the lines of a trace with their error', () => {
    const ring = createLineRing(10);
    const filter = createLogFilter(ring, 10);
    filter.setWish({ search: '', level: 'error' });
    for (const text of ['INFO a', 'ERROR b', '  at c', 'INFO d']) ring.push(text);
    filter.follow();
    expect([filter.lines.at(0), filter.lines.at(1), filter.lines.length]).toEqual(['ERROR b', '  at c', 2]);
  });
});

it('a step log drops the oldest lines when it is full', async () => {
  const { client } = createClientDouble({ 'runs.log': () => ['1', '2'] });
  const log = createStepLog(client, 3);
  await log.getState().open('a', 'export');
  log.getState().hear({ type: 'log', runId: 'a', step: 'export', lines: ['3', '4'] });
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
