import { basename } from 'node:path';
import type { GoldenCheck } from '../contract/golden';
import type { OutputRule, OutputRules } from '../contract/measured/output-rules';
import type { AccuracyResult, OutputComparison } from '../contract/measured/results';
import { isTaskFigure, taskFigureBetter } from '../contract/measured/task-figures';
import { formatCount, formatMetric } from '../contract/numbers';
import { modelArtefactSchema } from '../contract/run/artefacts';
import { type AccuracySpec, repositoryOf } from '../contract/run/run-spec';
import { metricTitle } from '../contract/words';
import { isFloating } from '../domain/outputs/decoded-tensor';
import { toleranceRule } from '../domain/outputs/rule-text';
import type { ServerHandle } from '../engine/engine';
import { whileServing } from '../engine/serving';
import { checkGolden } from '../golden/check-golden';
import type { GoldenSample } from '../golden/golden-samples';
import { keepGolden } from '../golden/keep-golden';
import { runInputHash, runTensors } from '../perf/input/input-readers';
import { createTritonClient } from '../triton/client';
import { traitsOf } from '../triton/model-traits';
import { readTls } from '../triton/tls';
import { servedTensors } from './repository-run';
import { filesOf } from './serve-model';
import type { StepContext } from './step';

/** What the result is of: neither framework nor code. */
export const goldenInputs = async (accuracy: AccuracySpec, path: string): Promise<unknown> => ({
  ...{ accuracy, golden: await runInputHash(path) },
});

/** Those of the file; an output without one has the tolerances of the run, if it is of floats. */
export function goldenRules(
  spec: AccuracySpec,
  own: OutputRules,
  samples: readonly Pick<GoldenSample, 'outputs'>[],
): OutputRules {
  const rules = samples.flatMap(({ outputs }) =>
    outputs.flatMap((output): [string, OutputRule][] =>
      isFloating(output) ? [[output.name, toleranceRule(spec, output.name)]] : [],
    ),
  );
  return { ...Object.fromEntries(rules), ...own };
}

type Metric = AccuracyResult['metrics'][number];

/** Figures of a labeled data set: only a threshold of the run is a condition. */
function figureMetrics({ figures = [] }: GoldenCheck, thresholds: AccuracySpec['thresholds']): Metric[] {
  const unknown = Object.keys(thresholds).filter((name) => figures.every((figure) => figure.name !== name));
  return [...figures, ...unknown.map((name) => ({ name, framework: null, triton: null }))].map(
    ({ name, framework, triton }): Metric => {
      const better = isTaskFigure(name) ? taskFigureBetter(name) : 'higher';
      const threshold = thresholds[name] ?? null;
      const reaches = (limit: number): boolean =>
        triton !== null && (better === 'lower' ? triton <= limit : triton >= limit);
      return {
        ...{ name, framework, triton, threshold },
        ...(better === 'lower' ? { better } : {}),
        passed: threshold === null || reaches(threshold),
      };
    },
  );
}

function metricReason({ name, triton, threshold, better }: Metric): string {
  const title = metricTitle({}, name);
  return triton === null
    ? `${title}: no value, as the golden file has no labels for it`
    : `${title}: ${formatMetric(triton)} on Triton is ${better === 'lower' ? 'above' : 'below'} the threshold ${formatMetric(threshold)}`;
}

/** As the gate keeps it. @param file name of the golden file */
export function goldenResult(
  check: GoldenCheck,
  rules: OutputRules,
  file: string,
  thresholds: AccuracySpec['thresholds'] = {},
): AccuracyResult {
  const outputs = check.outputs.map((found): OutputComparison => {
    const rule = rules[found.output];
    const numbers = rule?.by === 'numbers' ? rule : { atol: 0, rtol: 0 };
    const { maxAbsDiff, maxRelDiff, nanCount, infCount, worst, samples, passed, compared, differing } = found;
    return {
      ...{ output: found.output, atol: numbers.atol, rtol: numbers.rtol, rule: found.rule },
      ...('maxMismatch' in numbers ? { maxMismatch: numbers.maxMismatch } : {}),
      mismatchShare: compared === 0 ? null : differing / compared,
      ...{ maxAbsDiff, maxRelDiff, nanCount, infCount },
      worstSample: worst?.sample ?? null,
      ...{ sampleCount: samples, passed, vacuous: false },
    };
  });
  const { notChecked } = check;
  const metrics = figureMetrics(check, thresholds);
  const missed = metrics.filter(({ passed }) => !passed);
  return {
    ...{ outputs, metrics, sampleCount: check.samples, golden: file },
    passed: check.passed && missed.length === 0,
    ...(notChecked.length === 0 ? {} : { notChecked }),
    reasons: [
      ...check.outputs.flatMap(({ reason }) => (reason === null ? [] : [reason])),
      ...missed.map(metricReason),
    ],
    warnings: notChecked.map((name) => `${name} is not checked: the golden file has no values for it`),
  };
}

/** Sends what the file has to the run's Triton. Throws input-invalid, inference-failed, server-gone. */
export async function againstGolden(
  context: StepContext,
  server: ServerHandle,
  path: string,
): Promise<AccuracyResult> {
  const { run, spec } = context;
  const { modelName, modelVersion } = spec.configure;
  const version = String(modelVersion);
  const client = createTritonClient(server.httpAddress, { tls: await readTls(server.forClients.httpTls) });
  const config = await client.modelConfig(modelName, version);
  const grpc = { address: server.grpcAddress, tls: await readTls(server.forClients.grpcTls) };
  const wanted =
    repositoryOf(spec.model) === null
      ? runTensors(await context.output('convert', modelArtefactSchema))
      : await servedTensors(context);
  const golden = await run.services.readers.goldenRead({
    ...{ path, wanted, batched: config.maxBatchSize > 0 },
  });
  const samples = golden.samples.slice(0, spec.accuracy.samples);
  const rules = goldenRules(spec.accuracy, golden.header?.outputs ?? {}, samples);
  context.log([`Running the ${samples.length} samples of ${basename(path)} through Triton`]);
  const check = await whileServing(server, context.signal, 'while it processed the samples', (signal) =>
    checkGolden({ client, grpc, model: modelName, version, config, samples, rules, signal }),
  );
  const file = basename(path);
  // Deployments and bundles of this run are checked with them; each request of a sequence would need its own.
  if (!traitsOf(config).sequences) {
    // A tie with labels is asked only for the figures.
    const compared = samples.filter(({ outputs }) => outputs.length > 0);
    await keepGolden(filesOf(run).keptSamples, { samples: compared, rules, file });
  }
  if (check.labeled !== undefined) context.fact('Labeled samples', formatCount(check.labeled));
  return goldenResult(check, rules, file, spec.accuracy.thresholds);
}
