import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { StepId } from '../../../main/contract/run/run-events';
import { levelLine } from '../../../main/pipeline/measure/level-tries';
import { failureLines } from '../../../main/pipeline/run-step';
import { runFolder } from '../../../main/store/run-folder';
import { pointFixture } from '../../support/run-state';
import { attempt, noted, noteSteps, notingSteps } from './noting-steps';

noteSteps();

const logOf = (step: StepId): Promise<string> =>
  readFile(runFolder(join(noted.dir, 'run')).log(step), 'utf8');

describe('the log of a step', () => {
  it('of a failed step says why, without a word from the step itself', async () => {
    const steps = notingSteps({
      deploy: () =>
        Promise.reject(
          new WorkbenchError('port-taken', 'Port 8000 is in use', {
            where: 'engine.httpPort',
            details: 'bind: 98',
          }),
        ),
    });
    expect((await attempt(steps, null)).outcome).toBe('failed');
    expect(await logOf('deploy')).toBe('ERROR: Port 8000 is in use\nat engine.httpPort\nbind: 98\n');
  });

  it('of a gate that did not pass has its reasons', async () => {
    const steps = notingSteps({
      accuracy: () => Promise.resolve({ gate: { reasons: ['top1: 0.1 is below 0.9', 'logits: too far'] } }),
    });
    expect((await attempt(steps, null)).outcome).toBe('gate-failed');
    expect(await logOf('accuracy')).toBe('ERROR: top1: 0.1 is below 0.9; logits: too far\n');
  });

  it('has the facts and warnings of the step, in their order', async () => {
    const steps = notingSteps({
      convert: (context) => {
        context.fact('Parameters', '25,557,032');
        context.log(['converting']);
        context.warning('1 weight tensor was clamped');
        return Promise.resolve({});
      },
    });
    await attempt(steps, null);
    expect(await logOf('convert')).toBe(
      'Parameters: 25,557,032\nconverting\nWARNING: 1 weight tensor was clamped\n',
    );
  });

  it('of a step past its deadline says so', async () => {
    const steps = notingSteps(
      {
        export: ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(new Error('stopped'));
            });
          }),
      },
      { deadlineS: 0.05 },
    );
    expect((await attempt(steps, null)).error?.code).toBe('deadline-exceeded');
    expect(await logOf('export')).toContain('ERROR: "Export model" did not end within 0.05 s');
  });
});

it('evidence that the log has already is not repeated', () => {
  const error = { code: 'toolkit-failed', message: 'exit code 1', details: 'first\nlast' } as const;
  expect(failureLines(error, ['first', 'last'])).toEqual(['ERROR: exit code 1']);
  expect(failureLines(error, ['last'])).toEqual(['ERROR: exit code 1', 'first', 'last']);
});

it('a level in the log: throughput, both percentiles, whether steady, and its windows', () => {
  const point = pointFixture({ inferencesPerSecond: 2366.2, p50Us: 5230, p99Us: 18_900 });
  expect(levelLine('batch size 2, concurrency 1', point)).toBe(
    'batch size 2, concurrency 1: 2,366 inferences/s, p50 5.23 ms, p99 18.90 ms, steady, 3 windows',
  );
  expect(levelLine('x', { ...point, stable: false })).toContain(', not steady, 3 windows');
  expect(levelLine('x', { ...point, paddingShare: 0.412 })).toContain(', steady, 41 % padding, 3 windows');
});
