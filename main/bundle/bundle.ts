import { copyFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { checkedByText, deployedKindText } from '../contract/deployment/deployment';
import { isSound } from '../contract/flag-text';
import { type PromisedLoad, promisedText } from '../contract/measured/promised-load';
import { latencyIntervalUs, type LoadPoint } from '../contract/measured/results';
import { exactMs, formatBytes, formatMs, formatRate, missing } from '../contract/numbers';
import { askedGpus, inContainers, isProcess } from '../contract/run/engine-kinds';
import { scenarios } from '../contract/run/run-events';
import { accuracyOf, referenceText } from '../contract/run/run-outcome';
import { repositoryOf } from '../contract/run/run-spec';
import type { DeployedRun, RunState } from '../contract/run/run-state';
import { present } from '../contract/trees';
import { levelText, type MetricTitles } from '../contract/words';
import type { DeployableRun } from '../deployments/deployable-run';
import { canaryOf, type CheckedBy, keepCheck } from '../deployments/version-check';
import { answerOf, p99Text } from '../domain/measured/answer';
import { type Capacity, requestsUnderWay, usualHeadroom } from '../domain/measured/capacity';
import { capacityNotes, capacityText } from '../domain/measured/capacity-text';
import { levelsOf } from '../domain/measured/points';
import { verdictOf } from '../domain/measured/verdict';
import { servedBy } from '../domain/run/served-by';
import { zeroCanary } from '../engine/serving';
import { makeFolder, syncToDisk, temporaryBeside, writeFileAtomic } from '../platform/files';
import { fileError } from '../platform/plain-entry';
import type { ModelConfig } from '../triton/model-config';
import { traitsOf } from '../triton/model-traits';
import { checksums, copyModels, makeReadable, requireEmpty } from './bundle-files';
import { coldSection } from './cold-section';
import {
  type BundleImage,
  composeFile,
  kubernetesFiles,
  type Serving,
  type Startup,
  startupOf,
} from './manifests';
import { queueMetric, rateMetric, resourceName } from './names';
import { recordSection } from './record-section';
import { grafanaDashboard, latencyThresholds, prometheusRules, rateThreshold, targetOf } from './watching';

/** Overhead of the smoke test's client over the load generator: share of p99, and at least. */
const allowance = { share: 0.25, leastMs: 5 };

/** Sound level of this model by itself with the fewest requests in flight; null without one. */
export function lowestLoad(state: RunState): LoadPoint | null {
  const points = scenarios.flatMap((scenario) =>
    levelsOf(state, scenario).flatMap(({ point }) =>
      point !== null && point.requestRate === undefined && point.model === undefined && isSound(point)
        ? [point]
        : [],
    ),
  );
  const loadOf = ({ batchSize, concurrency }: LoadPoint) => batchSize * concurrency;
  return points.reduce<LoadPoint | null>(
    (lowest, point) => (lowest === null || loadOf(point) < loadOf(lowest) ? point : lowest),
    null,
  );
}

/** Highest allowed p99 of sequential requests, and its derivation; null without a level. */
export function latencyLimit(state: RunState) {
  const point = lowestLoad(state);
  if (point === null) return null;
  const upperUs = point.p99Us + (latencyIntervalUs(point, 'p99Us') ?? 0);
  const allowedUs = Math.max(allowance.leastMs * 1000, allowance.share * upperUs);
  return {
    batchSize: point.batchSize,
    limitMs: exactMs(upperUs + allowedUs),
    text: `measured p99 ${p99Text(point)} at ${levelText(point)}, its upper end and ${formatMs(allowedUs)} ms for the Python client`,
  };
}

/** The best configuration of a search. */
export interface FoundConfig {
  /** Of the search. */
  readonly name: string;
  readonly config: ModelConfig;
  /** config.pbtxt of a model of a repository that is served as it is, with its fields; absent: written from `config`. */
  readonly own?: { readonly model: string; readonly text: string } | undefined;
  /** What it gives, without a full stop. */
  readonly sentence: string;
  readonly promised: PromisedLoad;
}

/** That of a run does not hold for the configuration of a search. */
const limitOf = ({ state, found }: Pick<BundleInput, 'state' | 'found'>) =>
  found === null ? latencyLimit(state) : null;

interface ReadmeInput {
  readonly state: DeployedRun;
  readonly titles: MetricTitles;
  readonly image: BundleImage;
  readonly measuredLocally: boolean;
  readonly samples: CheckedBy;
  /** null: the replicas were not planned. */
  readonly capacity: Capacity | null;
  /** null: the configuration is that of the run. */
  readonly found: FoundConfig | null;
  /** See {@link Serving}. */
  readonly pendingRequests: number | null;
  readonly startup: Startup;
}

function hardwareText({ environment }: RunState): string {
  const { gpus, cpu, cpuCount, memoryBytes, os } = environment;
  const gpuText = gpus.map(({ name }) => name).join(', ');
  return [gpuText, `${cpu} (${cpuCount} CPUs)`, formatBytes(memoryBytes), os]
    .filter((part) => part !== '')
    .join('; ');
}

const foundLines = (found: FoundConfig | null): readonly string[] =>
  found === null
    ? []
    : [
        `The configuration is the best one of the search ${found.name}. ${found.sentence}. What follows was measured with the configuration of the run.`,
        '',
      ];

/** What one replica is planned with; null: nothing says. */
function replicaText({ capacity, found }: Pick<ReadmeInput, 'capacity' | 'found'>): string | null {
  if (found !== null) return promisedText(found.promised);
  if (capacity === null) return null;
  const { heldRate, ask, isOpen } = capacity;
  const how = isOpen ? 'by the plan' : 'by the plan, measured closed';
  return `${formatRate(heldRate)} inferences/s within p99 ${formatMs(ask.p99Ms * 1000)} ms, ${how}`;
}

function noLimitText(found: FoundConfig | null): string {
  return found === null
    ? 'none: no steady level of only this model'
    : 'none: the levels of the run are of another configuration';
}

function expectedLines(input: ReadmeInput): readonly string[] {
  const { state, titles, measuredLocally, image, samples, found } = input;
  const { environment } = state;
  const best = answerOf(state)?.level?.point;
  const limit = limitOf(input);
  const holds = replicaText(input);
  return [
    ...foundLines(found),
    verdictOf(state, titles),
    '',
    '| | |',
    '|---|---|',
    `| p99 at the best level, 95 % interval | ${best === undefined ? missing : p99Text(best)} |`,
    ...(holds === null ? [] : [`| one replica holds | ${holds} |`]),
    `| hardware | ${hardwareText(state)} |`,
    `| Triton | ${environment.tritonVersion ?? missing} |`,
    `| measured on | ${measuredLocally ? 'the local Triton, without a container' : image.reference} |`,
    `| samples that smoke-test.py compares | ${checkedByText(samples) ?? 'none'}${samples.golden === undefined ? '' : ` of ${samples.golden}`} |`,
    `| p99 limit of smoke-test.py | ${limit === null ? noLimitText(found) : `${formatMs((limit.limitMs ?? 0) * 1000)} ms: ${limit.text}`} |`,
  ];
}

/** A share of the promised rate: an autoscaler needs time, and tolerates a tenth. null: nothing promises one. */
function scaledRateOf({ capacity, found }: Pick<ReadmeInput, 'capacity' | 'found'>): Serving['scaledRate'] {
  const rate = found?.promised.requestsPerSecond ?? null;
  if (rate === null) return null;
  const headroom = capacity?.ask.headroom ?? usualHeadroom;
  const value = rate / (1 + headroom);
  const text = `${formatRate(value)} requests/s each: the ${formatRate(rate)} of the search ${found?.name ?? ''} with ${Math.round(100 * headroom)} % headroom`;
  return { value, text };
}

/** Where the limits of alerts and autoscaler come from. */
function limitLines({ capacity, found }: ReadmeInput): readonly string[] {
  const { requestsPerSecond = null, latencyUs = null, percentile = 99 } = found?.promised ?? {};
  const scaled = scaledRateOf({ capacity, found });
  const limits = [
    ...(requestsPerSecond === null ? [] : [`${formatRate(requestsPerSecond)} requests/s of each replica`]),
    ...(latencyUs === null || capacity !== null ? [] : [`p${percentile} ${formatMs(latencyUs)} ms`]),
  ];
  return [
    ...(limits.length === 0
      ? []
      : [
          `- Limits of the alerts: ${limits.join(' and ')}, as promised by the search ${found?.name ?? ''}${found?.promised.confirmed === false ? ', which ended before it was measured at full length' : ''}, in place of the measured values plus 25 %.`,
        ]),
    ...(scaled === null
      ? []
      : [`- The autoscaler adds a replica when the running replicas answer more than ${scaled.text}.`]),
  ];
}

const replicaLines = ({ capacity, found, pendingRequests }: ReadmeInput): readonly string[] => [
  ...(capacity === null
    ? ['- Requests for CPU and memory, and 1 to 4 replicas, are starting points and were not measured.']
    : [
        `- Replicas: ${[capacityText(capacity), ...capacityNotes(capacity)].join(' ')} Only one replica was measured, not several together. The autoscaler keeps at least this many.`,
        '- Requests for CPU and memory are starting points and were not measured.',
      ]),
  ...(pendingRequests === null && scaledRateOf({ capacity, found }) === null
    ? [
        '- hpa.yaml is left out: the number of requests in flight per replica was not measured, so the threshold for scaling is unknown.',
      ]
    : []),
];

function verifiedText({ accuracy }: RunState): string {
  const { word } = accuracyOf(accuracy?.result);
  return word === 'verified'
    ? `as it was verified against ${referenceText(accuracy?.result)} and measured`
    : `as it was measured; its accuracy: ${word}`;
}

/** "onnx fp32", "Triton repository as it is, version 1 of Triton, with scale". */
function kindText({ source: { spec } }: DeployedRun): string {
  const { format, precision, configure } = spec;
  const { models = [], with: beside = [] } = repositoryOf(spec.model) ?? {};
  if (models.length === 0) return deployedKindText({ format, precision });
  const names = models.map(({ name }) => name);
  const repository = { version: configure.modelVersion, models: names, with: beside };
  return deployedKindText({ format, precision, repository });
}

/** Of a repository that the local Triton served with Python-based backends, which the image has itself. */
function otherBackendLines({ state, image, measuredLocally }: ReadmeInput): readonly string[] {
  const { spec } = state.source;
  if (!measuredLocally || image.builtHere || repositoryOf(spec.model) === null) return [];
  return [
    `The run was served without a container, by ${servedBy(spec, state.environment.packages).backend}. ${image.reference} has backends of its own for these models, and was not run: the smoke test shows whether its outputs match those of the run.`,
    '',
  ];
}

export function readmeText(input: ReadmeInput): string {
  const { state, image, measuredLocally, samples } = input;
  const { runId } = state;
  const { spec } = state.source;
  const { modelName } = spec.configure;
  const built = image.builtHere
    ? [
        `The image ${image.reference} was built by the workbench (\`images build triton-cpu\`) and is in no registry: push it to yours and put its name there in compose.yaml and the manifests.${measuredLocally ? ' The run itself was measured without a container, on the Triton that this image is built from.' : ''}`,
        '',
      ]
    : [];
  return [
    `# ${modelName}, ready to serve`,
    '',
    `The model of run ${runId} (${kindText(state)}) for NVIDIA Triton, ${verifiedText(state)}. Made by Triton Workbench ${state.environment.workbenchVersion}.`,
    '',
    '## Start',
    '',
    '```',
    'sha256sum -c SHA256SUMS',
    'docker compose up -d',
    'python3 smoke-test.py',
    '```',
    '',
    ...built,
    ...otherBackendLines(input),
    'smoke-test.py needs Python 3.8 or later and nothing else; it prints one line per check and exits with 0, or with 1 if a check failed. `--url` selects another Triton. `--skip-latency` omits the measurement, for a machine other than the one of the run.',
    '',
    '## Expected',
    '',
    ...expectedLines(input),
    '',
    ...recordSection(state),
    ...coldSection(state, input.startup),
    '## What the manifests assume',
    '',
    `- compose.yaml: Docker Compose 2.${askedGpus(spec.engine).length > 0 ? ' NVIDIA Container Toolkit for the GPUs.' : ''} The ports 8000, 8001 and 8002 are published on 127.0.0.1; \`TRITON_LISTEN=0.0.0.0\` opens them to all, \`TRITON_HTTP_PORT\`, \`TRITON_GRPC_PORT\` and \`TRITON_METRICS_PORT\` choose others. Triton has no authentication.`,
    `- kubernetes/ (\`kubectl apply -k kubernetes/\`): a persistent volume claim \`${resourceName(modelName)}-models\` with the contents of model-repository/, readable for user and group 1000, and ReadOnlyMany where there are several nodes; the NVIDIA device plugin for GPUs; the Prometheus Operator (podmonitor.yaml, prometheusrule.yaml); an adapter that serves \`${queueMetric}\`${scaledRateOf(input) === null ? '' : ` and \`${rateMetric}\``} as a metric of pods (hpa.yaml); early releases of Triton do not have it. Without these, remove their files from kustomization.yaml.`,
    ...replicaLines(input),
    ...limitLines(input),
    '- kserve/inferenceservice.yaml: in place of kubernetes/, with KServe in its deployment mode without Knative; the same claim.',
    '- prometheus/rules.yaml and grafana/dashboard.json: alerts and a dashboard with their thresholds (requests that wait first, then latency, failures, GPUs); kubernetes/prometheusrule.yaml has the same rules. The latency percentile is watched where Triton runs with `--metrics-config summary_latencies=true`, the mean in any case.',
    '',
    '## Files',
    '',
    `- model-repository/: what Triton serves${repositoryOf(spec.model) === null ? '' : ', all models under their own names as the run served them'}; SHA256SUMS covers every file of it.`,
    `- samples/: inputs, the outputs of ${samples.golden ?? 'the framework'}, and how far others may differ.`,
    '- expectation.json: what smoke-test.py asks for; compare_outputs.py: how it compares outputs.',
    '',
  ].join('\n');
}

interface BundleInput {
  readonly run: DeployableRun;
  readonly state: DeployedRun;
  /** The run as the configuration of the bundle was measured: itself, or a candidate of a search. */
  readonly measured: DeployedRun;
  readonly titles: MetricTitles;
  readonly image: BundleImage;
  readonly resources: string;
  readonly capacity: Capacity | null;
  readonly found: FoundConfig | null;
}

/** For a local Triton, which has no such limit. */
const usualShmSizeMiB = 1024;

function expectationOf(input: BundleInput) {
  const { config, version, check, about } = input.run;
  const canary = canaryOf(check) ?? zeroCanary(config);
  const { sequences, decoupled } = traitsOf(config);
  return {
    model: config.name,
    version,
    batched: config.maxBatchSize > 0,
    canary: canary.map(({ name, datatype, shape }) => ({ name, datatype, shape })),
    latency: limitOf(input),
    ...present({ promised: input.found?.promised }),
    ...(about.repository === undefined ? {} : { beside: about.repository.models.slice(1), anyValues: true }),
    ...(sequences ? { sequences } : {}),
    ...(decoupled ? { decoupled } : {}),
  };
}

function servingOf(input: BundleInput, repositoryBytes: number): Serving {
  const { run, state, image, capacity, found } = input;
  const { engine, config } = run;
  const level = capacity?.held ?? answerOf(input.measured)?.level ?? null;
  const pendingRequests = level === null ? null : requestsUnderWay({ held: level });
  const gpus = askedGpus(engine).length;
  const promised = found?.promised ?? null;
  const watched = {
    ...{ model: config.name, pendingRequests, gpus, rate: rateThreshold(promised) },
    ...latencyThresholds(level?.point ?? null, targetOf(capacity?.ask.p99Ms ?? null, promised)),
    errorPercentage: state.source.spec.performance.errorPercentage,
  };
  return {
    ...{ model: config.name, image, gpus, repositoryBytes, pendingRequests, watched },
    shmSizeMiB: inContainers(engine) ? engine.shmSizeMiB : usualShmSizeMiB,
    ...(run.repository === undefined ? {} : { asIs: true }),
    scaledRate: scaledRateOf({ capacity, found }),
    plan: capacity === null ? null : { replicas: capacity.replicas, text: capacityText(capacity) },
    startup: startupOf(state.coldStart),
  };
}

async function fill(dir: string, input: BundleInput): Promise<void> {
  const { run, state, titles, image, resources, capacity, found } = input;
  const { engine } = run;
  const repositoryBytes = await copyModels(run, join(dir, 'model-repository'), found !== null);
  const samples = await keepCheck(join(dir, 'samples'), run.check, run.samples);
  const serving = servingOf(input, repositoryBytes);
  const { watched, pendingRequests, startup } = serving;
  const files: Readonly<Record<string, string>> = {
    SHA256SUMS: await checksums(dir, 'model-repository'),
    'compose.yaml': composeFile(serving),
    'prometheus/rules.yaml': prometheusRules(watched),
    'grafana/dashboard.json': grafanaDashboard(watched),
    ...kubernetesFiles(serving),
    'expectation.json': `${JSON.stringify(expectationOf(input), null, 1)}\n`,
    'README.md': readmeText({
      ...{ state, titles, image, samples, capacity, found, pendingRequests, startup },
      measuredLocally: isProcess(engine),
    }),
  };
  for (const [path, text] of Object.entries(files)) await writeFileAtomic(join(dir, path), text);
  await copyFile(join(resources, 'bundle', 'smoke_test.py'), join(dir, 'smoke-test.py'));
  await copyFile(join(resources, 'bundle', 'compare_outputs.py'), join(dir, 'compare_outputs.py'));
  await makeReadable(dir);
}

/**
 * Writes a production bundle into a new or empty folder, whole or not at all. @returns its absolute path.
 * Throws input-invalid, file-unwritable, disk-full.
 */
export async function writeBundle(out: string, input: BundleInput): Promise<string> {
  const dir = resolve(out);
  await requireEmpty(dir);
  const beside = temporaryBeside(dir);
  try {
    await makeFolder(beside);
    await fill(beside, input);
    await rename(beside, dir);
    await syncToDisk(dirname(dir));
  } catch (error) {
    await rm(beside, { recursive: true, force: true }).catch(() => undefined);
    throw fileError(error, dir);
  }
  return dir;
}
