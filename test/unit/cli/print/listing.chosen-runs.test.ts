import { describe, expect, it } from 'vitest';
import { chosenRuns } from '../../../../main/cli/print/listing';
import { runSummary } from '../../renderer/window-fixtures';

const runs = [
  runSummary({ runId: 'd', status: 'running', waitsFor: { reason: 'device', what: 'c' } }),
  runSummary({ runId: 'c', status: 'running', preset: 'tft' }),
  runSummary({ runId: 'b', status: 'failed' }),
  runSummary({ runId: 'a', status: 'done' }),
];
const ids = (options: Parameters<typeof chosenRuns>[1]): string =>
  chosenRuns(runs, options)
    .map(({ runId }) => runId)
    .join('');

describe('runs', () => {
  it('are narrowed by state and preset, and then cut to the newest', () => {
    expect(ids({})).toBe('dcba');
    expect(ids({ status: 'failed,done' })).toBe('ba');
    expect(ids({ status: 'waiting' })).toBe('d');
    expect(ids({ status: 'running', limit: '1' })).toBe('d');
    expect(ids({ preset: 'tft', status: 'running', limit: '1' })).toBe('c');
    expect(ids({ limit: '0' })).toBe('');
  });

  it('are not narrowed by what is not a state or a number', () => {
    expect(() => ids({ status: 'broken' })).toThrow('"broken" is not one of created, running');
    expect(() => ids({ limit: '1.5' })).toThrow('"1.5" is not a number of runs');
  });
});
