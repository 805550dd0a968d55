import type { ComparedOutput } from '../../main/contract/measured/output-rules';
import type { Look } from '../../main/contract/study/search';
import type {
  Upgraded,
  UpgradeLoad,
  UpgradeNumber,
  UpgradeOutputs,
  UpgradeStrategy,
} from '../../main/contract/study/upgrade';
import { runA } from './duel';

export const upgradeStrategy = (change: Partial<UpgradeStrategy> = {}): UpgradeStrategy => ({
  ...{ kind: 'upgrade', subject: { kind: 'run', runId: runA }, title: 'nightly' },
  sides: [{ title: 'release 26.04' }, { title: 'release 26.07', target: { release: '26.07' } }],
  ...{ findings: [], batchSizes: [1, 8], loads: 3, level: { batchSize: 1, concurrency: 8 } },
  ...{ criteria: ['throughput<0.9x', 'p99>1.1x'], errorPercentage: 1, budgetS: 180, lookMs: 900 },
  ...change,
});

export const comparedOutput = (change: Partial<ComparedOutput> = {}): ComparedOutput => ({
  ...{ output: 'logits', rule: 'within 1e-4 + 1e-4 × value', samples: 2, compared: 20, differing: 0 },
  ...{ maxAbsDiff: 0, maxRelDiff: 0, nanCount: 0, infCount: 0, worst: null, passed: true, reason: null },
  ...change,
});

/** Outputs that agree at batch sizes 1 and 8, and with the reference. */
export const agreeing = (change: Partial<UpgradeOutputs> = {}): UpgradeOutputs => ({
  between: [1, 8].map((batchSize) => ({
    ...{ batchSize, requests: 2, outputs: [comparedOutput()], varying: [] },
  })),
  reference: ([1, 2] as const).map((side) => ({ side, samples: 8, difference: null })),
  ...change,
});

/** Batch 8 of the second side is another. */
export const differing = (maxAbsDiff = 0.012): UpgradeOutputs => {
  const [one, eight] = agreeing().between;
  const outputs = [
    comparedOutput({ maxAbsDiff, differing: 20, passed: false, reason: 'logits, sample 0: …' }),
  ];
  return agreeing({
    between: [one, eight && { ...eight, outputs }].flatMap((at) => at ?? []),
  });
};

export const loadOf = (side: UpgradeNumber, change: Partial<UpgradeLoad> = {}): UpgradeLoad => ({
  ...{ side, loadMs: 1000, hostBytes: 500e6, gpuBytes: null },
  firstUs: [
    { batchSize: 1, us: 20_000 },
    { batchSize: 8, us: 30_000 },
  ],
  ...change,
});

export const servedOf = (side: UpgradeNumber, tritonVersion: string) => ({
  ...{ side, startMs: 1500 },
  place: { engine: 'local' as const, address: `127.0.0.1:${side}`, tritonVersion },
});

/** Outputs agree, and each side was loaded three times. @param second of the loads of the second side */
export const upgraded = (second: Partial<UpgradeLoad> = {}, outputs = agreeing()): Upgraded => ({
  served: { 1: servedOf(1, '2.51.0'), 2: servedOf(2, '2.71.0') },
  outputs,
  loads: ([1, 2, 2, 1, 2, 1] as const).map((side) => loadOf(side, side === 2 ? second : {})),
});

/** A little unrest, the same in every test. */
const unrest = (at: number): number => 1 + 0.002 * Math.sin(at * 2.4);

/** Looks in the order of a comparison in turns. @param ratio of the second side to the first */
export const turns = (
  pairs: number,
  ratio: { readonly throughput?: number; readonly p99?: number } = {},
): readonly Look[] =>
  Array.from({ length: 2 * pairs }, (_unused, at): Look => {
    const candidate = [1, 2, 2, 1, 2, 1, 1, 2][at % 8] ?? 1;
    const { throughput = 1, p99 = 1 } = candidate === 2 ? ratio : {};
    return {
      ...{ candidate, phase: 'turn', load: { concurrency: 8 }, seconds: 0.9 },
      inferencesPerSecond: 1000 * throughput * unrest(at),
      latencyUs: 10_000 * p99 * unrest(at + 7),
      ...{ requestCount: 500, errorCount: 0, meanServerBatch: null, serverQueueUs: null },
    };
  });
