import { isLoopback } from '../contract/address';
import { textAt } from '../contract/fields/parameter-text';
import { marksOf } from '../contract/flag-text';
import { formatBytes, formatCount, formatMetric, formatScale, missing } from '../contract/numbers';
import { importKindText } from '../contract/run/imported';
import { formatFacts } from '../contract/run/model-formats';
import {
  accuracyBadge,
  accuracyOf,
  accuracyText,
  type Badge,
  statusOf,
  verificationOf,
} from '../contract/run/run-outcome';
import { bySource, serverLoadOf } from '../contract/run/run-source';
import type { PerformanceSpec, RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import { measuredServer, performanceOfLoad, servedModels } from '../contract/run/server-load';
import { ofScenarios } from '../contract/run/sweep';
import { clipped, metricTitle, type MetricTitles } from '../contract/words';
import { answerOf } from '../domain/measured/answer';
import { doubtsOf } from '../domain/measured/doubts';
import { bestPoint } from '../domain/measured/points';
import { servedByOf } from '../domain/run/served-by';
import { instancesText } from '../domain/run/serving';
import { largestOf } from '../domain/statistics';
import type { NamedText, ReportSummary } from './report';

/** Fits three lines. */
const longestFact = 140;

const facts = (rows: readonly (readonly [string, string | null])[]): readonly NamedText[] =>
  rows.flatMap(([name, value]) => (value === null ? [] : [{ name, value: clipped(value, longestFact) }]));

/** Shortens the digest as Docker does. */
const shortImage = (image: string): string => image.replace(/(sha256:[0-9a-f]{12})[0-9a-f]+/, '$1');

const modelFacts = ({ source }: RunState, title: string): readonly NamedText[] =>
  bySource(source, {
    imported: ({ fileName, kind }, model) =>
      facts([
        ['Model', model],
        ['File', fileName],
        ['Tool', importKindText[kind]],
        ['Format, precision', 'unknown'],
      ]),
    server: (load) =>
      facts([
        ['Model', servedModels(load)],
        ['Server', `${measuredServer(load)}, running before`],
        ['Format, precision', 'as served'],
        ['Load', loadText(performanceOfLoad(load))],
      ]),
    deployed: (spec) => deployedFacts(spec, title),
  });

function deployedFacts(spec: RunSpec, title: string): readonly NamedText[] {
  const { configure, performance } = spec;
  return facts([
    ['Model', title],
    ['Format', formatFacts[spec.format].title],
    ['Precision', textAt('precision', spec.precision)],
    ['Profile', textAt('model.profile', spec.model.profile)],
    [
      'Accelerator',
      textAt('configure.backendAccelerator', configure.backendAccelerator).replace(/^None$/, 'none'),
    ],
    [
      'Batching',
      `${textAt('configure.batching', configure.batching)}, maximum batch size ${formatCount(configure.maxBatchSize)}`,
    ],
    ['Instances', instancesText(spec)],
    ['Load', loadText(performance)],
  ]);
}

/** "Built-in load generator, gRPC, random input"; per scenario if they differ. */
function loadText(performance: PerformanceSpec): string {
  const [offline, online] = ofScenarios(performance).map(({ loadTool, protocol, sharedMemory }) =>
    [
      textAt('performance.loadTool', loadTool),
      textAt('performance.protocol', protocol),
      ...(sharedMemory === 'none'
        ? []
        : [`${textAt('performance.sharedMemory', sharedMemory).replace('System', 'system')} shared memory`]),
    ].join(', '),
  );
  const load = offline === online ? (offline ?? '') : `offline ${offline ?? ''}; online ${online ?? ''}`;
  return `${load}, ${performance.inputData === 'dataset' ? 'data set' : performance.inputData} input`;
}

function machineFacts(state: RunState): readonly NamedText[] {
  const { environment, source } = state;
  const served = servedByOf(state);
  if (source.kind === 'imported') {
    return facts([
      ['GPU', environment.gpus.map(({ uuid }) => uuid).join(', ') || 'unknown'],
      ['CPU, Triton, engine', 'unknown: the file does not have them'],
    ]);
  }
  const { gpus, image, tritonVersion, server } = environment;
  // Remote machines are unknown except for Triton's version.
  const load = serverLoadOf(state);
  const isElsewhere = load !== null && !isLoopback(load.addresses.http);
  const names = [...new Set(gpus.map((gpu) => `${gpu.name}, ${formatBytes(gpu.memoryBytes)}`))].join('; ');
  const drivers = [...new Set(gpus.map(({ driver }) => driver))].join(', ');
  return facts([
    [
      'GPU',
      isElsewhere
        ? 'unknown'
        : gpus.length === 0
          ? 'none'
          : `${gpus.length > 1 ? `${gpus.length} × ` : ''}${names}`,
    ],
    ['Driver', gpus.length === 0 ? null : drivers],
    [
      isElsewhere ? 'Load generator' : 'CPU',
      `${environment.cpu}, ${formatCount(environment.cpuCount)} logical cores`,
    ],
    ['Memory', formatBytes(environment.memoryBytes)],
    ['Operating system', environment.os],
    ['Served by', served === null ? null : `${served.backend}, ${served.place}`],
    server === undefined ? ['Triton', tritonVersion ?? missing] : ['Server', server],
    ['Engine', textAt('engine.kind', environment.engine)],
    ['Image', load !== null ? null : image === null ? 'none (no container)' : shortImage(image)],
  ]);
}

/** "Verified (outputs and metric), 200 samples. top-1: Triton 0.965, framework 0.965, at least 0.900. …" */
function accuracySentences(state: RunState, titles: MetricTitles): string {
  const result = state.accuracy?.result;
  if (result === undefined) return verificationOf(state).reason;
  const sentences = result.metrics.slice(0, 2).map(({ name, framework, triton, threshold, better }) => {
    const bound =
      threshold === null ? '' : `, ${better === 'lower' ? 'at most' : 'at least'} ${formatMetric(threshold)}`;
    return `${metricTitle(titles, name)}: Triton ${formatMetric(triton)}, framework ${formatMetric(framework)}${bound}.`;
  });
  const differences = result.outputs.flatMap(({ maxAbsDiff }) => (maxAbsDiff === null ? [] : [maxAbsDiff]));
  const accuracy = accuracyOf(result);
  const isCounted = accuracy.of?.startsWith('outputs, ') === true;
  const text = [
    `${capitalized(accuracyText(accuracy))}${isCounted ? '' : `, ${formatCount(result.sampleCount)} samples`}.`,
    ...(result.passed ? [] : result.reasons.slice(0, 1).map((reason) => `${reason.replace(/\.$/, '')}.`)),
    ...sentences,
    ...(differences.length === 0
      ? []
      : [`Largest absolute difference of an output: ${formatScale(largestOf(differences))}.`]),
  ].join(' ');
  return clipped(text, 260);
}

const capitalized = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

const ownAccuracy = ({ accuracy }: RunState): Badge => accuracyBadge(accuracyOf(accuracy?.result));

/** State, accuracy and doubts about the best level; never green despite a doubt. */
function badgesOf(state: RunState): readonly Badge[] {
  const answer = answerOf(state);
  const doubts = [
    ...(answer?.level ? marksOf(answer.level.point) : []),
    ...(answer?.doubts ?? []).map(({ mark }) => mark),
  ];
  return [
    statusOf(state),
    ownAccuracy(state),
    ...doubts.map((words): Badge => ({
      label: `! ${capitalized(words)}`,
      tone: 'warning',
    })),
  ];
}

interface SummaryInput {
  readonly titles: MetricTitles;
  readonly title: string;
}

/** The first page, readable on its own. */
export function reportSummary(state: RunState, input: SummaryInput): ReportSummary {
  const { titles, title } = input;
  return {
    badges: badgesOf(state),
    accuracyBadge: ownAccuracy(state),
    scenario: (answerOf(state)?.level ?? bestPoint(state))?.scenario ?? null,
    accuracy: accuracySentences(state, titles),
    doubts: doubtsOf(state),
    model: modelFacts(state, title),
    machine: machineFacts(state),
  };
}
