import { describe, expect, it } from 'vitest';
import { labelOf } from '../../../../main/contract/fields/fields';
import type { RunJob } from '../../../../main/contract/job/run-job';
import { cellText, titleWithUnit } from '../../../../main/contract/measured/column';
import { missing } from '../../../../main/contract/numbers';
import { dockerEngineSchema } from '../../../../main/contract/run/run-spec';
import { matrixColumns, matrixDocument, matrixSentence } from '../../../../main/domain/measured/matrix';
import type { MatrixResult } from '../../../../main/domain/measured/matrix-result';
import {
  accuracyBody,
  completeState,
  createdBodies,
  environmentFixture,
  measurementBody,
  pointFixture,
  preparationBodies,
  runCreated,
  specFixture,
  stateOf,
  stepBodies,
} from '../../../support/run-state';

const result = (change: Partial<MatrixResult>): MatrixResult => ({
  number: 1,
  axes: [{ field: 'format', value: 'onnx' }],
  spec: specFixture(),
  state: null,
  leftOut: null,
  error: null,
  ...change,
});

/** The cells of one row by their titles. */
const row = (one: MatrixResult, all: readonly MatrixResult[] = [one]) =>
  Object.fromEntries(matrixColumns(all).map((column) => [titleWithUnit(column), cellText(column, one)]));

const containers = specFixture((spec) => {
  spec.engine = dockerEngineSchema.parse({ kind: 'docker', release: '26.07', gpus: ['GPU-1'] });
});
const gpu = {
  uuid: 'GPU-1',
  name: 'NVIDIA A30',
  driver: '580.65.06',
  memoryBytes: 24 * 2 ** 30,
  computeCapability: '8.0',
};

describe('a row of a matrix', () => {
  it('has the best steady level of each scenario, by the formatter of all tables', () => {
    const cells = row(result({ state: completeState() }));
    const fast = pointFixture({ batchSize: 16 });
    expect(cells).toMatchObject({
      Run: '1',
      Preset: 'resnet50',
      Format: 'onnx',
      Precision: 'fp16',
      GPU: 'none',
      Release: missing,
      Accuracy: 'verified (outputs and metric)',
      'Offline batch size': '16',
      'Offline inferences/s': fast.inferencesPerSecond.toFixed(1),
      'Online level': 'batch size 1, concurrency 64',
      'Offline state': 'steady',
      State: 'Complete',
      Reason: missing,
    });
    expect(cells['Offline p99 (ms)']).toBe((fast.p99Us / 1000).toFixed(2));
  });

  it('shows a level that is not steady where there is no other, and marks it', () => {
    const unsteady = pointFixture({ batchSize: 16, stable: false, flags: ['unstable'] });
    const state = stateOf([
      ...createdBodies(),
      ...preparationBodies(),
      ...stepBodies('offline', [measurementBody('offline', unsteady)]),
      { type: 'run-finished', outcome: 'done' },
    ]);
    expect(row(result({ state }))).toMatchObject({
      'Offline inferences/s': unsteady.inferencesPerSecond.toFixed(1),
      'Offline p99 (ms)': (unsteady.p99Us / 1000).toFixed(2),
      'Offline batch size': '16',
      'Offline state': 'not steady',
      'Online inferences/s': missing,
      'Online state': missing,
      Reason: 'No steady level offline: its figures are of the best level, not steady.',
    });
    const [run] = matrixDocument('night', [result({ state })]).runs;
    expect(run?.offline).toMatchObject({ batchSize: 16, steady: false, marks: ['not steady'] });
  });

  it('prefers a steady level to a faster one that is not', () => {
    const fast = pointFixture({ batchSize: 16, stable: false, flags: ['unstable'] });
    const steady = pointFixture({ batchSize: 1 });
    const state = stateOf([
      ...createdBodies(),
      ...preparationBodies(),
      ...stepBodies('offline', [measurementBody('offline', fast), measurementBody('offline', steady)]),
      { type: 'run-finished', outcome: 'done' },
    ]);
    expect(row(result({ state }))).toMatchObject({
      ...{ 'Offline batch size': '1', 'Offline state': 'steady', Reason: missing },
    });
  });

  it('has the GPU that measured, before that the one that is asked for, and the release', () => {
    const measured = stateOf(createdBodies(containers, environmentFixture({ gpus: [gpu] })));
    expect(row(result({ spec: containers, state: measured }))).toMatchObject({
      GPU: 'NVIDIA A30',
      Release: '26.07',
    });
    expect(row(result({ spec: containers }))['GPU']).toBe('GPU-1');
  });

  it('has the GPU of the node once the job has begun there, and before that none that is known', () => {
    const spec = specFixture((own) => {
      own.engine = { kind: 'kubernetes', gpuCount: 1 };
    });
    const job: RunJob = {
      ...{ scheduler: 'kubernetes', id: 'ml/tw-a', name: 'tw-a', log: 'kubectl logs', partition: 'dgx' },
    };
    const queued = [
      // Of the machine that the job was submitted on.
      ...createdBodies(spec, environmentFixture({ gpus: [{ ...gpu, name: 'Quadro' }] })),
      { type: 'job-submitted', job } as const,
    ];
    const cell = (bodies: Parameters<typeof stateOf>[0]) =>
      row(result({ spec, state: stateOf(bodies) }))['GPU'];
    expect(row(result({ spec }))['GPU']).toBe(missing);
    expect(cell(queued)).toBe(missing);
    const begun = { type: 'run-started', attempt: 1, pid: 1, node: 'n1' } as const;
    const environment = environmentFixture({ gpus: [gpu] });
    expect(cell([...queued, begun, { type: 'environment', environment }])).toBe('NVIDIA A30');
    const onCpu = specFixture((own) => {
      own.engine = { kind: 'kubernetes', gpuCount: 0 };
    });
    expect(row(result({ spec: onCpu }))['GPU']).toBe('none');
  });

  it('has a column for every other axis, under the name of its field', () => {
    const axes = [
      { field: 'configure.instances', value: '2' },
      { field: 'CHECKPOINT_VARIANT', value: 'traffic_bin' },
    ];
    const one = result({ number: 2, axes });
    expect(row(one, [result({}), one])).toMatchObject({
      [labelOf('configure.instances')]: '2',
      CHECKPOINT_VARIANT: 'traffic_bin',
    });
    expect(row(result({}), [result({}), one])[labelOf('configure.instances')]).toBe(missing);
  });

  it('says of a run without a result why', () => {
    const failed = stateOf([
      ...createdBodies(),
      {
        type: 'run-finished',
        outcome: 'failed',
        error: { code: 'toolkit-failed', message: 'No module named x' },
      },
    ]);
    expect(row(result({ state: failed }))).toMatchObject({ State: 'Failed', Accuracy: 'not checked' });
    expect(row(result({ state: failed }))['Reason']).toMatch(/: No module named x$/);
    expect(
      row(result({ leftOut: 'Not served here.', spec: null, axes: [{ field: 'format', value: 'trt' }] })),
    ).toMatchObject({
      Format: 'trt',
      Precision: missing,
      State: 'Left out',
      Reason: 'Not served here.',
    });
    const unread = result({
      leftOut: 'Not a number.',
      spec: null,
      choice: { preset: 'tiny', overrides: {} },
    });
    expect(row(unread)).toMatchObject({ Preset: 'tiny' });
    const cancelled = stateOf([
      ...createdBodies(),
      {
        type: 'run-finished',
        outcome: 'cancelled',
        error: { code: 'cancelled', message: 'Cancelled during "Write report"' },
      },
    ]);
    expect(row(result({ state: cancelled }))['Reason']).toBe('Cancelled during "Write report"');
    const error = { code: 'docker-unreachable', message: 'Cannot connect' } as const;
    expect(row(result({ error }))).toMatchObject({ State: 'Not run' });
    expect(row(result({ error: { ...error, remedy: 'Start it.' } }))['Reason']).toMatch(
      /: Cannot connect\. Start it\.$/,
    );
    expect(row(result({}))).toMatchObject({ State: 'Not started', Reason: missing });
  });

  it('of a run that missed the accuracy gate says so beside its figures', () => {
    const gate = accuracyBody({ passed: false, reasons: ['top1 is below its threshold'] });
    const state = stateOf([
      ...createdBodies(),
      ...preparationBodies(gate),
      { type: 'run-finished', outcome: 'gate-failed' },
    ]);
    expect(row(result({ state }))).toMatchObject({
      Accuracy: 'failed',
      State: 'Accuracy gate not passed',
    });
    expect(matrixSentence([result({ state })])).toBe('0 of 1 run complete, 1 did not pass the accuracy gate');
  });
});

describe('a whole matrix', () => {
  const results = [
    result({ state: stateOf([...createdBodies(), { type: 'run-finished', outcome: 'done' }]) }),
    result({ number: 2, leftOut: 'why' }),
    result({ number: 3, leftOut: 'why' }),
    result({ number: 4, state: runCreated() }),
  ];

  it('is summed up in a sentence', () => {
    expect(matrixSentence(results)).toBe('1 of 4 runs complete, 2 left out, 1 not started');
  });

  it('has values as measured for machines, and null where there is none', () => {
    const { runs } = matrixDocument('night', [result({ state: completeState() }), ...results.slice(1)]);
    expect(runs[0]?.offline).toMatchObject({ batchSize: 16, p99Us: pointFixture({ batchSize: 16 }).p99Us });
    expect(runs[1]).toMatchObject({ number: 2, runId: null, offline: null, online: null, reason: 'why' });
  });
});
