import { describe, expect, it } from 'vitest';
import { shellLine } from '../../../main/contract/flag-text';
import { cellText, halfWidthText } from '../../../main/contract/measured/column';
import { errors, meanBatch, requests, throughput, windows } from '../../../main/contract/measured/columns';
import type { JournalBody } from '../../../main/contract/run/run-events';
import { leavesOf } from '../../../main/contract/trees';
import { bestPoint } from '../../../main/domain/measured/points';
import { toReport } from '../../../main/reports/to-report';
import {
  accuracyBody,
  completeBodies,
  completeState,
  createdBodies,
  measurementBody,
  pointFixture,
  preparationBodies,
  runCreated,
  specFixture,
  stateOf,
  stepBodies,
} from '../../support/run-state';

const context = { generatedAt: '2025-11-21T08:30:00.000Z', metricTitles: { top1: 'top-1' } };

describe('the verdict', () => {
  const fast = pointFixture({ concurrency: 64, inferencesPerSecond: 2034.2, p99Us: 18_234 });

  it('names throughput, p99, load and agreement of the best level', () => {
    const state = stateOf([
      ...createdBodies(),
      ...preparationBodies(),
      measurementBody('online', pointFixture({ concurrency: 1, inferencesPerSecond: 300 })),
      measurementBody('online', fast),
      ...stepBodies('offline'),
      ...stepBodies('online'),
    ]);
    expect(toReport(state, context).verdict).toBe(
      'Best steady level: 2,034 inferences/s at p99 18.23 ms (online, batch size 1, concurrency 64; 1,991 requests in 979 ms); accuracy verified (outputs and metric), top-1 equal to the framework’s.',
    );
  });

  it('prefers a steady level to a faster one that is not, and says so when none is steady', () => {
    const shaky = pointFixture({
      concurrency: 128,
      inferencesPerSecond: 9000,
      stable: false,
      flags: ['unstable'],
    });
    const both = stateOf([
      ...createdBodies(),
      measurementBody('online', fast),
      measurementBody('online', shaky),
    ]);
    expect(bestPoint(both)?.point.concurrency).toBe(64);
    const one = stateOf([...createdBodies(), measurementBody('online', shaky)]);
    expect(toReport(one, context).verdict).toContain('Best level, not steady: ');
  });

  it.each([
    [0.00004, '0.0001'],
    [0.0001, '0.0001'],
    [0.01223, '0.0123'],
  ])('never claims less than a metric difference of %d', (delta, shown) => {
    const metrics = [{ name: 'top1', framework: 0.5, triton: 0.5 - delta, threshold: null, passed: true }];
    const state = stateOf([...createdBodies(), accuracyBody({ metrics }), measurementBody('online', fast)]);
    expect(toReport(state, context).verdict).toContain(`top-1 within ${shown} of the framework`);
  });

  it.each([
    ['lower', 'at most 0.1300', '≤ 0.1300'],
    [undefined, 'at least 0.1300', '≥ 0.1300'],
  ] as const)('says which way the threshold of a metric bounds: %s', (better, note, threshold) => {
    const metrics = [{ name: 'risk', framework: 0.1, triton: 0.1, threshold: 0.13, better, passed: true }];
    const report = toReport(stateOf([...createdBodies(), accuracyBody({ metrics })]), context);
    expect(report.figures.find(({ label }) => label.startsWith('risk'))?.note).toContain(note);
    expect(report.accuracy?.metrics[0]?.threshold).toBe(threshold);
  });

  it('falls back to the outputs where there is no metric', () => {
    const state = stateOf([
      ...createdBodies(),
      accuracyBody({ metrics: [] }),
      measurementBody('online', fast),
    ]);
    expect(toReport(state, context).verdict).toContain('outputs within 0.00413 of the framework');
  });

  it('says that a run is partial, where it ended and why', () => {
    const error = { code: 'server-gone', message: 'Triton was ended by SIGKILL' } as const;
    const state = stateOf([
      ...createdBodies(),
      ...preparationBodies(),
      { type: 'step-started', step: 'offline', attempt: 1, key: 'k' },
      measurementBody('offline', pointFixture()),
      { type: 'step-failed', step: 'offline', durationUs: 1, error },
      { type: 'run-finished', outcome: 'failed', error },
    ]);
    const report = toReport(state, context);
    expect(report.verdict).toContain(
      'Partial: the run failed in step “Measure offline”: Triton stopped unexpectedly.',
    );
    expect(report.status.label).toBe('Failed');
    expect(report.problems[0]).toMatchObject({
      tone: 'bad',
      text: expect.stringContaining('SIGKILL') as string,
    });
  });

  it('says that nothing was measured', () => {
    expect(toReport(runCreated(), context).verdict).toBe('Nothing has been measured yet.');
  });
});

describe('verification', () => {
  it('is given only by a gate that passed', () => {
    expect(toReport(completeState(), context).verification.verified).toBe(true);
    expect(toReport(runCreated(), context).verification.verified).toBe(false);
    const failed = stateOf([
      ...createdBodies(),
      accuracyBody({ passed: false, reasons: ['top1 0.4 < 0.9'] }),
    ]);
    expect(toReport(failed, context).verification).toEqual({
      verified: false,
      label: 'failed',
      reason: 'The accuracy gate did not pass: top1 0.4 < 0.9',
    });
  });
});

describe('the tables', () => {
  const report = toReport(completeState(), context);

  it('counts a run as complete while its last step writes the report', () => {
    expect(completeState().status).toBe('running');
    expect(report.status.label).toBe('Complete');
    expect(report.steps.map(({ id }) => id)).not.toContain('report');
  });

  it('have one parameter row for every value of the specification', () => {
    const spec = specFixture((value) => {
      value.deadlines = { offline: 60 };
      value.model.checkpoint = 'weights.pt';
      value.model.dataset = 'images';
      value.engine = { kind: 'local', httpPort: 8000, grpcPort: 8001 };
    });
    const rows = toReport(runCreated(spec), context).parameters.flatMap(({ rows: inner }) => inner);
    const shown = rows.map(({ field }) => field);
    expect(new Set(shown).size).toBe(shown.length);
    const wanted = leavesOf(spec).map(([keys]) => keys.join('.'));
    expect(shown).toEqual(expect.arrayContaining(wanted.filter((path) => path !== 'version')));
    // What else has a row is not set, and says what holds all the same.
    expect(shown.filter((path) => !wanted.includes(path))).toEqual([
      'targetGpu',
      'engine.environment',
      'configure.maxQueueSize',
      'configure.queueTimeoutUs',
      'configure.warmup',
      'performance.stages',
      'performance.replay.file',
      'performance.streaming',
      'performance.blsModels',
      'performance.traceRequests',
      'performance.inTurns',
      'accuracy.golden',
      'accuracy.samples',
    ]);
  });

  it('name the published variables beside our own fields', () => {
    const rows = report.parameters.flatMap(({ rows: inner }) => inner);
    const upstream = (field: string) => rows.find((row) => row.field === field)?.upstream ?? [];
    expect(upstream('precision')).toContain('PRECISION');
    expect(upstream('format')).toContain('FORMAT');
    expect(upstream('configure.maxBatchSize')).toContain('MAX_BATCH_SIZE');
    expect(upstream('configure.maxQueueDelayUs')).toContain('TRITON_MAX_QUEUE_DELAY');
    expect(upstream('configure.preferredBatchSizes')).toContain('TRITON_PREFERRED_BATCH_SIZES');
    expect(upstream('configure.backendAccelerator')).toContain('BACKEND_ACCELERATOR');
  });

  it('show levels by load with rounded times, whatever the order of measuring', () => {
    const bodies = completeBodies();
    const backwards = [
      ...bodies.slice(0, 2),
      ...bodies
        .slice(2)
        .reverse()
        .filter(({ type }) => type === 'measurement'),
    ];
    const scenario = toReport(stateOf(backwards), context).scenarios[0];
    expect(scenario?.rows.map(({ batchSize }) => batchSize)).toEqual([1, 2, 4, 8, 16]);
    expect(scenario?.rows[0]?.cells.slice(0, 3)).toEqual(['1', '1', '250.5']);
    expect(scenario?.rows[0]?.cells[13]).toBe('5.67');
  });

  it('give unsteady levels and holes their reasons in words', () => {
    const [offline, online] = report.scenarios;
    expect(offline?.rows[3]).toMatchObject({ steady: false, marks: ['not steady'] });
    expect(offline?.rows[3]?.reasons.join(' ')).toContain('still changed');
    const hole = online?.rows.find(({ point }) => point === null);
    expect(hole).toMatchObject({ concurrency: 32, marks: ['missing: load-tool-failed'] });
    expect(hole?.reasons[0]).toContain('exit code 99');
    expect(hole?.cells.slice(2)).toEqual(Array<string>(13).fill('–'));
  });

  it('show asked-for levels that were never reached as holes', () => {
    const state = stateOf([
      ...createdBodies(),
      measurementBody('offline', pointFixture()),
      { type: 'run-finished', outcome: 'cancelled' },
    ]);
    const [offline] = toReport(state, context).scenarios;
    expect(offline?.rows.map(({ point }) => point !== null)).toEqual([true, false, false, false, false]);
    expect(offline?.rows[1]?.marks).toEqual(['missing: not-reached']);
  });

  it('keep the later of two results of one level', () => {
    const [first, second] = [100, 200].map((inferencesPerSecond) => pointFixture({ inferencesPerSecond }));
    const state = stateOf([
      ...createdBodies(),
      { type: 'measurement', scenario: 'offline', key: 'old', point: first ?? pointFixture() },
      { type: 'measurement', scenario: 'offline', key: 'new', point: second ?? pointFixture() },
    ]);
    expect(toReport(state, context).scenarios[0]?.rows[0]?.point?.inferencesPerSecond).toBe(200);
  });

  it('show missing values as a dash and zero as zero', () => {
    const point = pointFixture({
      requestCount: null,
      meanServerBatch: null,
      throughputIntervalIps: null,
      windows: [],
    });
    const state = stateOf([...createdBodies(), measurementBody('offline', { ...point, serverQueueUs: 0 })]);
    const row = toReport(state, context).scenarios[0]?.rows[0];
    const shown = row?.point ?? point;
    expect([requests, meanBatch, windows, errors].map((column) => cellText(column, shown))).toEqual([
      ...['–', '–', '–', '0'],
    ]);
    expect(halfWidthText(throughput, shown)).toBe('–');
    expect(row?.cells[5]).toBe('0');
  });

  it('warn of a tolerance that cannot fail', () => {
    const output = completeState().accuracy?.result.outputs[0];
    if (output === undefined) throw new Error('The fixture has an output');
    const outputs = [{ ...output, vacuous: true, maxAbsDiff: null, nanCount: 7 }];
    const warnings = ['The tolerance of OUTPUT__0 cannot fail'];
    const state = stateOf([...createdBodies(), accuracyBody({ outputs, warnings })]);
    const { accuracy, problems } = toReport(state, context);
    expect(accuracy?.outputs[0]).toMatchObject({ vacuous: true, maxAbsDiff: '–', nanCount: '7' });
    expect(problems.map(({ text }) => text)).toContain('The tolerance of OUTPUT__0 cannot fail');
  });

  it('name every step that has a warning, also one that another step has too', () => {
    const warnings = ['3 of 3 levels: not steady.'];
    const finished = (step: 'offline' | 'online' | 'accuracy', of: readonly string[]): JournalBody => ({
      type: 'step-finished',
      step,
      key: 'k',
      durationUs: 1,
      facts: [],
      warnings: [...of],
    });
    const gate = ['The tolerance of OUTPUT__0 cannot fail'];
    const { problems } = toReport(
      stateOf([
        ...createdBodies(),
        accuracyBody({ warnings: gate }),
        finished('accuracy', gate),
        finished('offline', warnings),
        finished('online', warnings),
      ]),
      context,
    );
    expect(problems.map(({ title, text }) => `${title}: ${text}`)).toEqual([
      'Accuracy: The tolerance of OUTPUT__0 cannot fail',
      'Measure offline: 3 of 3 levels: not steady.',
      'Measure online: 3 of 3 levels: not steady.',
    ]);
  });

  it('can be sent as plain data', () => {
    expect(structuredClone(report)).toEqual(report);
  });
});

describe('shellLine', () => {
  it('quotes what a shell would take apart', () => {
    expect(shellLine(['a', 'b c', "it's", '$(x)', '', '--k=v'])).toBe(`a 'b c' 'it'\\''s' '$(x)' '' --k=v`);
  });
});

describe('the parameters', () => {
  const continued = (state: Parameters<typeof toReport>[0]) =>
    toReport(state, context)
      .parameters.flatMap(({ rows }) => rows)
      .find(({ field }) => field === 'accuracy.allowUnverified')?.value;

  it('say that a run went on past its accuracy gate because somebody asked for it', () => {
    const state = completeState();
    expect(continued(state)).toBe('off');
    expect(continued({ ...state, gateOverridden: true })).toBe(
      'off; continued on request, marked “accuracy failed”',
    );
  });
});
