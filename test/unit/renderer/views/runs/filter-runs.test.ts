import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../../../main/contract/api';
import { createSelection } from '../../../../../renderer/stores/run-list';
import { worksFor } from '../../../../../renderer/stores/run-work';
import { facetCounts, filterRuns } from '../../../../../renderer/views/runs/filter-runs';
import { nextSorting, sortRuns } from '../../../../../renderer/views/runs/sort-runs';
import { runSummary } from '../../window-fixtures';

describe('the list of runs', () => {
  const rows = [
    runSummary({ runId: 'a', name: 'Nightly', tags: ['a30'], createdAt: '2025-11-21T08:00:00.000Z' }),
    runSummary({
      runId: 'b',
      status: 'failed',
      best: null,
      chosen: null,
      answer: null,
      createdAt: '2025-11-21T09:00:00.000Z',
    }),
    runSummary({
      runId: 'c',
      engine: 'docker',
      note: 'Longer queue delay',
      chosen: { inferencesPerSecond: 300, p99Us: 4000, steady: true },
      createdAt: '2025-11-21T07:00:00.000Z',
    }),
  ];
  const ids = (list: readonly RunSummary[]) => list.map((one) => one.runId).join('');

  it('is searched in names, tags and notes too, and narrowed by facets', () => {
    expect(ids(filterRuns(rows, 'A30'))).toBe('a');
    expect(ids(filterRuns(rows, 'nightly'))).toBe('a');
    expect(ids(filterRuns(rows, 'queue longer'))).toBe('c');
    expect(ids(filterRuns(rows, 'ONNX failed'))).toBe('b');
    expect(ids(filterRuns(rows, '  '))).toBe('abc');
    expect(ids(filterRuns(rows, '', { status: ['failed', 'paused'] }))).toBe('b');
    expect(ids(filterRuns(rows, '', { engine: ['local'], tag: ['a30'] }))).toBe('a');
    expect(ids(filterRuns(rows, '', { engine: [] }))).toBe('abc');
  });

  it('counts the values of a facet, the most frequent first', () => {
    expect(facetCounts(rows, 'engine')).toEqual([
      ['local', 2],
      ['docker', 1],
    ]);
    expect(facetCounts(rows, 'tag')).toEqual([['a30', 1]]);
  });

  it('is sorted by any column, with runs without a value last either way', () => {
    expect(ids(sortRuns(rows, { column: 'started', descending: true }))).toBe('bac');
    expect(ids(sortRuns(rows, { column: 'throughput', descending: true }))).toBe('cab');
    expect(ids(sortRuns(rows, { column: 'throughput', descending: false }))).toBe('acb');
    expect(ids(sortRuns(rows, { column: 'engine', descending: false }))).toBe('cba');
  });

  it('turns a column round, and begins another at its telling end', () => {
    const p99 = nextSorting({ column: 'started', descending: true }, 'p99');
    expect(p99).toEqual({ column: 'p99', descending: false });
    expect(nextSorting(p99, 'p99').descending).toBe(true);
    expect(nextSorting(p99, 'throughput').descending).toBe(true);
  });

  it('remembers what is ticked', () => {
    const selection = createSelection();
    selection.getState().toggle('a');
    selection.getState().toggle('b');
    selection.getState().toggle('a');
    expect([...selection.getState().runIds]).toEqual(['b']);
    selection.getState().setAll(['a', 'b', 'c']);
    selection.getState().drop(['b']);
    expect([...selection.getState().runIds]).toEqual(['a', 'c']);
  });
});

it('offers what fits the state of the run', () => {
  expect(worksFor('running')).toEqual(['pause', 'cancel']);
  expect(worksFor('paused')).toEqual(['resume']);
  expect(worksFor('done')).toEqual([]);
});
