import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadPoint } from '../../../main/contract/measured/results';
import { budgetLatencyUs } from '../../../main/contract/run/sweep';
import { sameValue } from '../../../main/contract/trees';
import { type FedLevel, fitServiceTimes } from '../../../main/domain/predict/fit-service-times';
import { type MeasuredTimes, predict, type Prediction } from '../../../main/domain/predict/predict';
import { createLoadTools } from '../../../main/perf/load-tools';
import { defaultHome, homeLayout } from '../../../main/platform/layout';
import { createTritonClient } from '../../../main/triton/client';
import { startTestTriton } from '../../../test/support/triton';
import { exitCodeOf, factTable, type Judged, judgedTable, option, rangeText, say } from '../bench-facts';
import { median } from '../pairs';
import { cutText, exitWhenCut, isCut, untilCut } from '../until-cut';
import {
  fedPoints,
  type HeldOut,
  heldOutPoints,
  nameOf,
  predictModels,
  type PredictPoint,
  referencePoint,
} from './predict-points';

const pointCount = Number(option('points', '40'));
const seed = Number(option('seed', '1'));
const outFile = option('out', '');
const levelsFile = option('levels', '');
const feedMs = 2500;
const pointMs = Number(option('point-ms', '10000'));
const referenceMs = 1500;
const warmupMs = 500;
const goals = { throughput: 0.1, p99: 0.25 } as const;

/** A held-out point as it was predicted before it was measured. */
interface Compared {
  readonly heldOut: HeldOut;
  readonly point: PredictPoint;
  readonly predicted: Prediction;
  /** With execution times by the reference level just before. */
  readonly corrected: Prediction;
  readonly reference: LoadPoint;
  readonly measured: LoadPoint;
}

const dir = await mkdtemp(join(tmpdir(), 'workbench-predict-'));
const triton = await startTestTriton(predictModels);
const tool = createLoadTools({
  layout: homeLayout(defaultHome(process.env)),
  workerFile: option('worker', ''),
  env: process.env,
}).native;

async function measure({ serving, batchSize, arrivals }: PredictPoint, windowMs: number): Promise<LoadPoint> {
  return tool.measure({
    httpAddress: triton.httpAddress,
    grpcAddress: triton.grpcAddress,
    protocol: 'grpc',
    modelName: nameOf(serving),
    modelVersion: '1',
    inputData: {
      source: 'zero',
      tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [16], files: ['0.bin'] }],
    },
    inputDataDir: dir,
    level:
      arrivals.kind === 'closed'
        ? { batchSize, concurrency: arrivals.concurrency }
        : { batchSize, concurrency: 512, requestRate: arrivals.requestRate },
    batched: true,
    settings: {
      ...{ measurementMode: 'time_windows', measurementIntervalMs: windowMs, measurementRequestCount: 50 },
      ...{ stabilityPercentage: 1e6, maxTrials: 1, warmupMs, requestDistribution: 'poisson' },
    },
    workDir: dir,
    signal: new AbortController().signal,
    onWindow: () => undefined,
    onLog: () => undefined,
    onCommand: () => undefined,
  });
}

async function feed(): Promise<readonly FedLevel[]> {
  const fed: FedLevel[] = [];
  for (const point of fedPoints) {
    if (isCut()) break;
    fed.push({ point: await measure(point, feedMs), serving: point.serving });
  }
  return fed;
}

/** Open loads are shares of what the predictor says that the configuration can give. */
function pointOf({ serving, load }: HeldOut, times: MeasuredTimes): PredictPoint {
  if ('concurrency' in load) {
    return { serving, batchSize: 1, arrivals: { kind: 'closed', concurrency: load.concurrency } };
  }
  const concurrency = 2 * serving.instances * serving.maxBatchSize;
  const most = predict({ ...times, serving, arrivals: { kind: 'closed', concurrency } });
  const requestRate = Math.round(load.share * most.predictedInferencesPerSecond);
  return { serving, batchSize: 1, arrivals: { kind: 'poisson', requestRate } };
}

const errorOf = (predicted: number, measured: number): number => Math.abs(predicted / measured - 1);
const throughputError = (predicted: Prediction, { measured }: Compared): number =>
  errorOf(predicted.predictedInferencesPerSecond, measured.inferencesPerSecond);
/** A queue without end has no p99: as wrong as can be where there was one. */
const p99Error = (predicted: Prediction, { measured }: Compared): number =>
  predicted.predictedLatency === null
    ? Infinity
    : errorOf(predicted.predictedLatency.p99Us, budgetLatencyUs(measured));

/** Times of a machine that takes this much longer. */
function slowed(times: MeasuredTimes, factor: number): MeasuredTimes {
  const { fixedUs, perAnswerUs } = times.overhead;
  return {
    ...times,
    serviceTimes: times.serviceTimes.map((one) => ({ ...one, computeUs: factor * one.computeUs })),
    overhead: { fixedUs: factor * fixedUs, perAnswerUs: factor * perAnswerUs },
  };
}

const percent = (share: number): string => (share === Infinity ? '–' : `${(100 * share).toFixed(0)} %`);
const ms = (us: number | undefined): string => (us === undefined ? 'none' : (us / 1000).toFixed(1));

function row(one: Compared): string {
  const { point, predicted, corrected, measured } = one;
  const { instances, maxBatchSize, maxQueueDelayUs } = point.serving;
  const load =
    point.arrivals.kind === 'closed'
      ? `concurrency ${point.arrivals.concurrency}`
      : `${point.arrivals.requestRate} requests/s`;
  const cells = [
    ...[`${instances}, ${maxBatchSize}, ${maxQueueDelayUs}`, load],
    ...[predicted.predictedInferencesPerSecond.toFixed(0), measured.inferencesPerSecond.toFixed(0)],
    percent(throughputError(predicted, one)),
    percent(throughputError(corrected, one)),
    ...[
      ms(predicted.predictedLatency?.p99Us),
      ms(budgetLatencyUs(measured)),
      percent(p99Error(predicted, one)),
    ],
    percent(p99Error(corrected, one)),
    predicted.isOutside ? 'yes' : '',
  ];
  return `| ${cells.join(' | ')} |`;
}

try {
  await writeFile(join(dir, '0.bin'), Buffer.alloc(64));
  const compared: Compared[] = [];
  const facts = { feedS: 0, fed: [] as readonly FedLevel[], referenceIps: NaN };
  const measureAll = async () => {
    const startedMs = performance.now();
    facts.fed = await feed();
    facts.feedS = (performance.now() - startedMs) / 1000;
    if (levelsFile !== '') await writeFile(levelsFile, JSON.stringify({ fed: facts.fed, compared }));
    const times = fitServiceTimes(facts.fed);
    const fedReference = facts.fed[fedPoints.findIndex((one) => sameValue(one, referencePoint))]?.point;
    if (times === null || fedReference === undefined) throw new Error('Nothing to predict from was measured');
    facts.referenceIps = fedReference.inferencesPerSecond;
    say(`Fed with ${facts.fed.length} levels in ${facts.feedS.toFixed(0)} s`);
    for (const heldOut of heldOutPoints(pointCount, seed)) {
      const point = pointOf(heldOut, times);
      const predicted = predict({ ...times, serving: point.serving, arrivals: point.arrivals });
      const reference = await measure(referencePoint, referenceMs);
      const measured = await measure(point, pointMs);
      if (isCut()) return;
      const corrected = predict({
        ...slowed(times, fedReference.inferencesPerSecond / reference.inferencesPerSecond),
        ...{ serving: point.serving, arrivals: point.arrivals },
      });
      const one = { heldOut, point, predicted, corrected, reference, measured };
      compared.push(one);
      say(`${compared.length} of ${pointCount}: ${row(one)}`);
    }
  };
  const { version } = await createTritonClient(triton.httpAddress).serverMetadata();
  const cut = await untilCut(measureAll);
  const judgedOf = (name: string, errors: readonly number[], goal: number): Judged => ({
    name: `median error of ${name}`,
    value: percent(median(errors)),
    limit: `at most ${percent(goal)}`,
    kept: median(errors) <= goal,
  });
  const isOpen = ({ point }: Compared) => point.arrivals.kind === 'poisson';
  const p99Of = (open: boolean) =>
    percent(
      median(compared.filter((one) => isOpen(one) === open).map((one) => p99Error(one.predicted, one))),
    );
  const plain = (name: string, value: string): Judged => ({ name, value, limit: '', kept: true });
  const rows = [
    judgedOf(
      'throughput',
      compared.map((one) => throughputError(one.predicted, one)),
      goals.throughput,
    ),
    judgedOf(
      'p99 latency',
      compared.map((one) => p99Error(one.predicted, one)),
      goals.p99,
    ),
    plain('of p99 latency, closed loads', p99Of(false)),
    plain('of p99 latency, open loads', p99Of(true)),
    plain(
      'of throughput, execution times corrected by the reference level before each point',
      percent(median(compared.map((one) => throughputError(one.corrected, one)))),
    ),
    plain(
      'of p99 latency, corrected likewise',
      percent(median(compared.map((one) => p99Error(one.corrected, one)))),
    ),
    plain(
      'reference level over that of the first minute',
      rangeText(
        compared.map(({ reference }) => reference.inferencesPerSecond / facts.referenceIps),
        2,
      ),
    ),
  ];
  const document = [
    '# Predicted and measured load',
    '',
    'Written by `npm run bench -- search-predict`. The predictor is fed with short levels of two configurations, then',
    'predicts other configurations and loads, and each of them is measured afterwards. The load generator runs on the',
    'processors of the server.',
    '',
    ...(cut ? cutText(`${compared.length} of ${pointCount} points measured`) : []),
    ...factTable(version, [
      ['Fed with', `${facts.fed.length} levels of ${feedMs / 1000} s, ${facts.feedS.toFixed(0)} s in all`],
      ['Points', `${compared.length}, ${pointMs / 1000} s each, seed ${seed}`],
    ]),
    '',
    ...judgedTable(rows),
    '',
    '| instances, maximum batch, delay µs | load | predicted/s | measured/s | error | with reference | predicted p99, ms | measured p99, ms | error | with reference | outside |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...compared.map(row),
    '',
  ].join('\n');
  if (levelsFile !== '') await writeFile(levelsFile, JSON.stringify({ fed: facts.fed, compared }));
  if (compared.length > 0) {
    say(`\n${document}`);
    if (outFile !== '') await writeFile(outFile, document);
  }
  if (!cut) process.exitCode = exitCodeOf(rows);
} finally {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
}
exitWhenCut();
