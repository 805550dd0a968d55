import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addPerfOptions } from '../../../main/cli/perf-options';
import type { PerfOptions } from '../../../main/cli/perf-options';
import { readPerfPlan } from '../../../main/cli/perf-plan';

const planOf = (...args: string[]) => {
  const command = addPerfOptions(new Command('perf').exitOverride());
  command.parse(['--url', 'http://127.0.0.1:8000', ...args], { from: 'user' });
  return readPerfPlan(command.opts<PerfOptions>());
};
const sweep = ['--model', 'm', '--concurrency', '1:4'];

describe('several levels', () => {
  it('are measured in turns', async () => {
    expect((await planOf(...sweep)).inTurns).toBe(true);
    expect((await planOf('--model', 'm', '--request-rate', '10:30:10', '--repeats', '1')).inTurns).toBe(true);
  });

  it.each([
    ['there is one level', ['--model', 'm']],
    ['it is not wanted', [...sweep, '--no-in-turns']],
    ['so many windows are allowed', [...sweep, '--max-trials', '10']],
    ['there are rounds already', [...sweep, '--repeats', '2']],
    ['both tools have turns already', [...sweep, '--cross-check']],
    ['what comes next depends on what came before', [...sweep, '--latency-threshold', '20']],
    ['models run at the same time', [...sweep, '--model', 'other']],
    ['sequences would be cut', [...sweep, '--sequence-length', '5']],
  ])('are each measured as a whole where %s', async (_why, args) => {
    const plan = await planOf(...args);
    expect(plan.inTurns).toBe(false);
    expect(plan.settings.maxTrials).toBe(10);
  });
});

describe('numbers', () => {
  it.each([
    ['--measurement-interval-ms', '0'],
    ['--measurement-interval-ms', '3000000000'],
    ['--measurement-request-count', '0.5'],
    ['--stability-percentage', '-5'],
    ['--max-trials', '0'],
    ['--warmup-ms', '3000000000'],
    ['--output-shared-memory-size', '0'],
  ])('%s %s is refused by its name', async (flag, value) => {
    await expect(planOf('--model', 'm', flag, value)).rejects.toMatchObject({
      code: 'input-invalid',
      where: flag,
    });
  });

  it('can ask for windows of requests', async () => {
    const { settings } = await planOf(
      ...['--model', 'm', '--measurement-mode', 'count_windows', '--measurement-request-count', '200'],
    );
    expect(settings).toMatchObject({ measurementMode: 'count_windows', measurementRequestCount: 200 });
  });
});
