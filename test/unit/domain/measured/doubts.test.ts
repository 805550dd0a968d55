import { describe, expect, it } from 'vitest';
import { errorText } from '../../../../main/contract/error-text';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import { toReport } from '../../../../main/reports/to-report';
import {
  accuracyBody,
  completeBodies,
  createdBodies,
  environmentFixture,
  measurementBody,
  pointFixture,
  preparationBodies,
  runCreated,
  specFixture,
  stateOf,
} from '../../../support/run-state';

const context = { generatedAt: '2025-11-21T08:30:00.000Z' };
const full = specFixture((spec) => {
  spec.model.profile = 'full';
  spec.performance.batchSizes = [1, 2];
  spec.performance.concurrency = [1, 2];
});
type Change = Parameters<typeof pointFixture>[0];
const levels = (change: (concurrency: number) => Change): readonly JournalBody[] => [
  ...[1, 2].map((batchSize) => measurementBody('offline', pointFixture({ batchSize }))),
  ...[1, 2].map((concurrency) =>
    measurementBody('online', pointFixture({ concurrency, ...change(concurrency) })),
  ),
];
const run = (bodies: readonly JournalBody[], accuracy = accuracyBody()): readonly string[] =>
  toReport(
    stateOf([
      ...createdBodies(full, environmentFixture({ cpuCount: 4 })),
      ...preparationBodies(accuracy),
      ...bodies,
      { type: 'run-finished', outcome: 'done' },
    ]),
    context,
  ).summary.doubts.filter((doubt) => !doubt.startsWith('The model is served by'));

describe('what is doubtful about a run', () => {
  it('is nothing where every level is steady and the accuracy check passed', () => {
    expect(run(levels(() => ({})))).toEqual([]);
  });

  it('is nothing where there is no answer to doubt', () => {
    expect(toReport(runCreated(), context).summary.doubts).toEqual([]);
  });

  it('names the levels that are not steady', () => {
    const doubts = run(
      levels((concurrency) => (concurrency === 2 ? { stable: false, flags: ['unstable'] } : {})),
    );
    expect(doubts).toEqual([
      '1 of 4 levels is not steady (online concurrency 2): its figures can change when the run is repeated.',
    ]);
  });

  it('counts levels without a result and gives the first reason', () => {
    expect(toReport(stateOf(completeBodies()), context).summary.doubts).toContain(
      `1 of 12 levels has no result (online concurrency 32): ${errorText['load-tool-failed'].title}: The load tool ended with exit code 99.`,
    );
  });

  it.each([
    [
      'client-saturated',
      'At 2 of 4 levels (online concurrency 1, 2), the load generator was the limit (client-limited), so the server may be faster.',
    ],
    ['errors', 'At 2 of 4 levels (online concurrency 1, 2), more than 1 % of the requests failed.'],
    [
      'machine-busy',
      'At 2 of 4 levels (online concurrency 1, 2), other work on the machine held up the load generator, so latencies may read too high.',
    ],
  ] as const)('says in a sentence what %s means', (flag, sentence) => {
    expect(run(levels(() => ({ flags: [flag] })))).toContain(sentence);
  });

  it('tells the load of the generator where it takes a large share of the machine', () => {
    const client = (cpuShare: number) => ({ client: { cpuShare, loopShare: 0.1, loopDelayP99Us: 10 } });
    expect(run(levels(() => client(0.9)))).toEqual([
      'The load generator ran on the same machine as Triton and used up to 0.900 of its 4 CPU cores.',
    ]);
    expect(run(levels(() => client(0.2)))).toEqual([]);
  });

  it('tells a wide interval of the best level', () => {
    const doubts = run(levels(() => ({ inferencesPerSecond: 1000, throughputIntervalIps: 660 })));
    expect(doubts).toEqual(['The throughput of the best level is known only to ± 66.0 % (95 % interval).']);
  });

  it('tells an accuracy check that did not pass, and one that could not fail', () => {
    const output = { ...accuracyOutput(), vacuous: true };
    const doubts = run(
      levels(() => ({})),
      accuracyBody({ passed: false, outputs: [output] }),
    );
    expect(doubts).toEqual([
      'The accuracy check did not pass: the results on Triton differ from the framework’s.',
      'The tolerance of OUTPUT__0 is too wide for any realistic output to fail it.',
    ]);
  });

  it('tells a run that has not finished, without accuracy, of a reduced model', () => {
    const state = stateOf([
      ...createdBodies(),
      measurementBody('offline', pointFixture()),
      { type: 'run-finished', outcome: 'cancelled' },
    ]);
    const { doubts } = toReport(state, context).summary;
    expect(doubts).toEqual([
      'Accuracy against the framework was not checked.',
      'The run has not finished: the answer rests on the levels measured so far.',
      expect.stringMatching(
        /^11 of 12 levels have no result .*: The run ended before this level was measured\.$/,
      ),
      'The model is served by ONNX Runtime 1.23.2 in Triton’s Python backend: the figures are not those of Triton’s onnxruntime backend.',
      'The model is the reduced one of the quick profile: the figures do not hold for the full model.',
    ]);
  });

  it('tells figures that were imported, with what the file lacks', () => {
    const [created] = createdBodies();
    if (created?.type !== 'run-created') throw new Error('The fixture begins with run-created');
    const imported = {
      kind: 'perf-analyzer-csv',
      fileName: 'levels.csv',
      sha256: 'a'.repeat(64),
      sizeBytes: 10,
      notes: ['Batch size 1 is assumed.'],
    } as const;
    const state = stateOf([
      { ...created, imported: { ...imported, notes: [...imported.notes] } },
      measurementBody('online', pointFixture()),
      { type: 'run-finished', outcome: 'done' },
    ]);
    expect(toReport(state, context).summary.doubts).toEqual([
      'The figures were imported and not measured here: machine, model and accuracy are unknown.',
      'Batch size 1 is assumed.',
    ]);
  });
});

function accuracyOutput() {
  const body = accuracyBody();
  const output = body.type === 'accuracy' ? body.result.outputs[0] : undefined;
  if (output === undefined) throw new Error('The fixture has an output');
  return output;
}
