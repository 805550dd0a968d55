import type { Handlers } from '../contract/api';
import { mergeTrees, unsetAt } from '../contract/trees';
import { preflightPlan } from '../engine/docker/preflight-plan';
import { releaseFor, releaseNeeds } from '../engine/docker/run-release';
import { readEnvironment } from '../machine/environment';
import type { FittingRelease } from '../machine/fitting-release';
import { readGpus } from '../machine/gpu-report';
import { readMachineStatus } from '../machine/preflight';
import { remoteHost } from '../machine/preflight-docker';
import { readReleases } from '../machine/releases';
import { sourceOf } from '../own/own-preset';
import { requireSameModel } from '../pipeline/change-spec';
import type { Runs } from '../pipeline/runs';
import { minimalOverrides } from '../presets/minimal-overrides';
import { readPublished, requirePreset } from '../presets/presets';
import { procedureDifferences, resolveSpec } from '../presets/resolve-spec';
import type { Core } from './core-interface';
import type { CoreParts } from './core-parts';

/** Which release of NVIDIA's images fits, or what is missing for every one. */
function releaseText(fit: FittingRelease | null): string | null {
  if (fit === null) return null;
  return fit.kind === 'fits' ? fit.reason : `${fit.finding} ${fit.remedy}`;
}

/** This machine: what it has, and whether it suits a run. */
export function createMachineCalls({ docker, engines, options, tools }: CoreParts): Pick<Core, 'machine'> & {
  readonly handlers: Pick<Handlers, 'machine.get' | 'machine.gpus'>;
} {
  const { env, resources, registry, home, version } = options;
  const machine: Core['machine'] = async (engine, asked) => {
    const format = asked ?? null;
    let fit: FittingRelease | null = null;
    const status = await readMachineStatus({
      env,
      resources,
      home,
      environment: () => readEnvironment({ workbenchVersion: version, engine: 'local', env }),
      engines: () => engines.detect(),
      docker: () => docker.facts(),
      tools: () => tools.facts(),
      // Containers bring their own.
      usesTools: engine === undefined,
      plan: async (facts, gpus) => {
        const named = engine ?? {
          kind: 'docker',
          gpus: gpus.gpus.length > 0 ? ['all'] : [],
          shmSizeMiB: 1024,
        };
        const releases = await readReleases(resources);
        fit =
          remoteHost(facts) === null
            ? releaseFor(named, releaseNeeds(named, format), { gpus, releases })
            : null;
        const chosen = named.release === undefined && fit?.kind === 'fits' ? { release: fit.release } : {};
        return preflightPlan({ ...named, ...chosen }, { resources, registry, link: docker }, facts, {
          format,
        });
      },
    });
    return { ...status, release: releaseText(fit) };
  };
  return {
    machine,
    handlers: { 'machine.get': () => machine(), 'machine.gpus': () => readGpus(env) },
  };
}

/** Presets, and the specification that a choice leads to. */
export function createPresetCalls(
  { presets, presetOf, options }: CoreParts,
  runs: Runs,
): Pick<Core, 'presets' | 'resolveSpec' | 'resolveChoice' | 'resolveChange'> & {
  readonly handlers: Pick<
    Handlers,
    'presets.list' | 'presets.published' | 'presets.differences' | 'presets.resolve'
  >;
} {
  const list = () => [...presets.values()].map((loaded) => loaded.preset);
  const resolve: Core['resolveSpec'] = (id, overrides) =>
    resolveSpec(requirePreset(presets, id).preset, overrides);
  const resolveChoice: Core['resolveChoice'] = async ({ preset, overrides }) => {
    const loaded = await presetOf({ preset, source: sourceOf(overrides['model']) });
    return resolveSpec(loaded.preset, overrides);
  };
  return {
    presets: list,
    resolveSpec: resolve,
    resolveChoice,
    resolveChange: async (runId, overrides) => {
      const { spec, preflight } = await runs.changeable(runId);
      const { model } = mergeTrees({ model: spec.model }, { model: overrides['model'] });
      requireSameModel(spec, { model: Object(model) as object });
      const { preset } = await presetOf(spec.model);
      return resolveChoice({
        preset: spec.model.preset,
        overrides: mergeTrees(
          // A release that was chosen for this machine is chosen again: another format may need another one.
          unsetAt(
            minimalOverrides(preset, spec),
            (preflight?.release ?? null) === null ? [] : ['engine', 'release'],
          ),
          overrides,
        ),
      });
    },
    handlers: {
      'presets.list': () => Promise.resolve(list()),
      'presets.published': async ({ preset }) =>
        presets.has(preset) ? readPublished(options.resources, preset) : null,
      'presets.differences': ({ spec, gpu }) => {
        const { preset, source } = spec.model;
        const loaded = source === undefined ? presets.get(preset) : undefined;
        return Promise.resolve(
          loaded === undefined ? [] : procedureDifferences(loaded.preset, { ...spec, targetGpu: gpu }),
        );
      },
      'presets.resolve': (input) => Promise.resolve().then(() => resolve(input.preset, input.overrides)),
    },
  };
}
