import type { EngineStatus } from '../contract/machine';
import type { Framework, RunSpec } from '../contract/run/run-spec';
import { endLeftChildren } from '../platform/left-children';
import { sweepHosts } from './docker/orphans';
import type { ExecutorRun, ExecutorSpec, SweptAll } from './engine';
import type { EngineParts, PlanPlaces, StartPlaces, SweepHow } from './engine-interface';
import { allEngines, engineOf } from './engine-registry';

type EngineSpec = RunSpec['engine'];

export const createEngines = (parts: EngineParts) => ({
  linkOf: (engine: EngineSpec) => engineOf(engine).link(engine, parts),
  check: ({ engine }: RunSpec) => engineOf(engine).check(engine, parts),
  openExecutor: (spec: ExecutorSpec, run: ExecutorRun) =>
    engineOf(spec.engine).open(spec.engine, spec, run, parts),
  imageNames: ({ engine, format }: RunSpec, framework: Framework) =>
    engineOf(engine).imageNames(engine, { format, framework }, parts),
  deviceOf: (engine: EngineSpec, node: string | null) => engineOf(engine).deviceOf(engine, node, parts),
  completed: (spec: RunSpec, places: StartPlaces) =>
    engineOf(spec.engine).completed(spec.engine, spec, places, parts),
  preflight: (spec: RunSpec, places: StartPlaces) =>
    engineOf(spec.engine).preflight(spec.engine, spec, places, parts),
  planPlaces: (own: EngineSpec): PlanPlaces => ({
    gpuNames: () => engineOf(own).gpuNames(own, parts),
    checkPlan: ({ engine }, plan) => engineOf(engine).checkPlan(engine, plan, parts),
  }),
  detect: async (): Promise<readonly EngineStatus[]> =>
    (await Promise.all(allEngines.map((engine) => engine.detect(parts)))).flat(),
  /**
   * Sweeps all engines and this machine's orphaned child processes. Orphaned containers are kept half an hour for
   * `resume`; `all` removes them too, except those of the run `except`.
   */
  sweep: async (how: SweepHow = {}): Promise<SweptAll> => {
    const endedChildren = await endLeftChildren();
    const swept = [];
    for (const engine of allEngines) swept.push(await engine.sweep(parts, how));
    return {
      endedChildren,
      ended: swept.flatMap(({ ended }) => ended),
      removedContainers: swept.flatMap(({ removedContainers }) => removedContainers),
    };
  },
  sweepHosts: () => sweepHosts(parts),
});
export type Engines = ReturnType<typeof createEngines>;
