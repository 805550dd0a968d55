import type { Handlers } from '../../contract/api';
import { toWire } from '../../contract/errors';
import { imageFamily, inContainers, isProcess } from '../../contract/run/engine-kinds';
import type { DockerEngineSpec, RunSpec } from '../../contract/run/run-spec';
import type { UpgradeFinding } from '../../contract/study/upgrade';
import { flagChanges } from '../../engine/docker/triton-command';
import { flagsGone, type LocalToolchain } from '../../engine/local/server-command';
import { packageChanges, toolchainOf } from '../../engine/local/serving-environment';
import { servingFramework } from '../../formats/formats';
import { backendOf } from '../../formats/patched-config';
import {
  compareVersions,
  readReleases,
  type Release,
  releaseOf,
  type Releases,
} from '../../machine/releases';
import { backendsThere } from '../../presets/repository-rules';
import { requireRules } from '../../presets/resolve-spec';
import type { ModelConfig } from '../../triton/model-config';
import type { CoreParts } from '../core-parts';

/** The run as it is served, and as it would be. */
interface Specs {
  readonly from: RunSpec;
  readonly to: RunSpec;
}

const finding =
  (blocks: boolean) =>
  (about: UpgradeFinding['about'], text: string): UpgradeFinding => ({ about, text, blocks });
const note = finding(false);
const block = finding(true);

/** Of NVIDIA's images; null: of others, or not named. */
const releaseNamed = ({ tritonImage, release }: DockerEngineSpec, registry: string): string | null =>
  tritonImage === undefined ? (release ?? null) : releaseOf(tritonImage, registry);

function planFindings(
  { to }: Specs,
  [before, after]: readonly [Release | undefined, Release | undefined],
): readonly UpgradeFinding[] {
  const [built, there] = [before?.tensorrt ?? null, after?.tensorrt ?? null];
  if (to.configure.backendAccelerator === 'trt') {
    return [note('plan', 'TensorRT builds its engines again there when the model is loaded')];
  }
  if (to.format !== 'trt') return [];
  if (built !== null && there !== null && built !== there) {
    const text = `the TensorRT plan has to be built again: it is of TensorRT ${built}, and release ${after?.release ?? ''} has ${there} (repeat the run with that release)`;
    return [block('plan', text)];
  }
  if (built !== null && there !== null) return [];
  return [
    note(
      'plan',
      'The TensorRT plan may not load there: only the version that built it is certain to load it',
    ),
  ];
}

/** From here on a full queue is looked after every 500 ms only: the dynamic batcher waits for an instance and is not woken. */
const stallsFrom = '2.44';

function queueFindings(
  { to }: Specs,
  [before, after]: readonly [Release | undefined, Release | undefined],
): readonly UpgradeFinding[] {
  const { batching, maxQueueSize = 0 } = to.configure;
  const [one, other] = [before?.tritonVersion ?? null, after?.tritonVersion ?? null];
  if (batching !== 'dynamic' || maxQueueSize === 0 || one === null || other === null) return [];
  if (compareVersions(one, stallsFrom) >= 0 || compareVersions(other, stallsFrom) < 0) return [];
  const text = `From Triton ${stallsFrom} on a full queue (max_queue_size ${maxQueueSize}) can stall: limit the time in the queue instead`;
  return [note('package', text)];
}

/** What the table of releases says of a move. Pure. */
export function releaseFindings(
  specs: Specs,
  names: { readonly from: string | null; readonly to: string | null },
  { releases, security }: Pick<Releases, 'releases' | 'security'>,
): readonly UpgradeFinding[] {
  const { from, to } = names;
  const of = (name: string | null) => releases.find(({ release }) => release === name);
  const [before, after] = [of(from), of(to)];
  const changed = (what: string, read: (release: Release) => string | null): readonly UpgradeFinding[] => {
    const [one, other] = [
      before === undefined ? null : read(before),
      after === undefined ? null : read(after),
    ];
    return one === null || other === null || one === other
      ? []
      : [note('package', `${what} ${one} becomes ${other}`)];
  };
  return [
    ...planFindings(specs, [before, after]),
    ...queueFindings(specs, [before, after]),
    ...(from === null || to === null ? [] : flagChanges(from, to).map((text) => note('flag', text))),
    ...changed('Triton', ({ tritonVersion }) => tritonVersion),
    ...changed('CUDA', ({ cuda }) => cuda),
    ...changed('TensorRT', ({ tensorrt }) => tensorrt),
    ...changed('Python', ({ python }) => python),
    ...(to !== null && compareVersions(to, security.floor) < 0
      ? [
          note(
            'machine',
            `Release ${to} has published vulnerabilities; ${security.floor} is the first release without them`,
          ),
        ]
      : []),
    ...(to === null ? [note('machine', 'The name of the image does not contain its release')] : []),
  ];
}

function backendFindings({ to }: Specs, config: ModelConfig, name: string): readonly UpgradeFinding[] {
  const [backend, there] = [backendOf(config), backendsThere(to.engine)];
  if (backend === '' || there === null || there.includes(backend)) return [];
  return [block('backend', `${name} has no backend "${backend}"`)];
}

async function dockerFindings(
  { options }: Pick<CoreParts, 'options'>,
  specs: Specs & { readonly engines: readonly [DockerEngineSpec, DockerEngineSpec] },
  config: ModelConfig,
  check: Handlers['runs.check'],
): Promise<readonly UpgradeFinding[]> {
  const { to, engines } = specs;
  const { registry, resources } = options;
  const [from, next] = engines.map((engine) => releaseNamed(engine, registry));
  const names = { from: from ?? null, to: next ?? null };
  const isOfNvidia = imageFamily(engines[1]) === 'ngc';
  const problems = (await check({ spec: to })).filter(({ severity }) => severity === 'problem');
  return [
    ...(isOfNvidia ? releaseFindings(specs, names, await readReleases(resources)) : []),
    ...backendFindings(specs, config, names.to === null ? 'the image' : `release ${names.to}`),
    ...problems.map(({ message }) => block('machine', message)),
  ];
}

/** What differs between two local environments. Throws toolchain-missing, input-invalid. */
async function localFindings(
  { layout, options: { env } }: Pick<CoreParts, 'layout' | 'options'>,
  { from, to }: Specs,
): Promise<readonly UpgradeFinding[]> {
  const toolchains: LocalToolchain[] = [];
  for (const spec of [from, to]) {
    const folder = isProcess(spec.engine) ? spec.engine.environment : undefined;
    const framework = servingFramework(spec);
    const python = framework === 'tf' ? layout.tensorflow : layout.python;
    const environment = folder === undefined ? undefined : { folder, framework };
    toolchains.push(await toolchainOf(layout, { environment, python }, env));
  }
  const [before, after] = toolchains as [LocalToolchain, LocalToolchain];
  const gone = flagsGone(after.knows);
  const changes = await packageChanges(before, after);
  return [
    ...changes.map(({ name, from: one, to: other }) =>
      note(
        'package',
        other === null
          ? `${name} ${one ?? ''} is missing there`
          : `${name} ${one ?? '(none)'} becomes ${other}`,
      ),
    ),
    ...(gone.length === 0
      ? []
      : [note('flag', `Triton there has no ${gone.join(', ')}, and is started without`)]),
  ];
}

const blockedBy = (cause: unknown): UpgradeFinding => block('backend', toWire(cause).message);

/**
 * What is known of a move before anything is started: backends and flags that are gone, plans to be built again, packages.
 * Throws input-invalid for a folder that is not a serving environment, docker-unreachable.
 */
export async function upgradeFindings(
  parts: CoreParts,
  specs: Specs,
  config: ModelConfig,
  check: Handlers['runs.check'],
): Promise<readonly UpgradeFinding[]> {
  const { from, to } = specs;
  const { preset } = await parts.presetOf(to.model);
  try {
    requireRules(preset, to);
  } catch (cause) {
    return [blockedBy(cause)];
  }
  if (inContainers(from.engine) && inContainers(to.engine)) {
    const engines = [from.engine, to.engine] as const;
    return dockerFindings(parts, { ...specs, engines }, config, check);
  }
  try {
    return await localFindings(parts, specs);
  } catch (cause) {
    if (toWire(cause).code !== 'combination-unsupported') throw cause;
    return [blockedBy(cause)];
  }
}
