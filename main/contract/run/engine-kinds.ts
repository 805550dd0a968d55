import { jobEngines } from '../job/job-engines';
import type { ToolId } from '../machine';
import { isTree } from '../trees';
import {
  type BackendSet,
  type EngineRow,
  engineRows,
  type EngineSpec,
  type JobRow,
  jobRows,
  type OfKind,
} from './engine-rows';
import { type EngineKind, engines } from './run-spec';

export { type BackendSet, imageFamily, isSlice, type OfKind } from './engine-rows';

type EngineWords = Pick<
  EngineRow<never>,
  'title' | 'name' | 'note' | 'machine' | 'commandsAre' | 'toolsAreFor' | 'form'
>;

export const engineWords = (kind: EngineKind): EngineWords => engineRows[kind];

export const engineSummary = <Kind extends EngineKind>(engine: OfKind<Kind>): string =>
  engineRows[engine.kind].summary(engine);

export const enginePlace = <Kind extends EngineKind>(engine: OfKind<Kind>): string =>
  engineRows[engine.kind].place(engine);

export const backendsOf = <Kind extends EngineKind>(engine: OfKind<Kind>): BackendSet =>
  engineRows[engine.kind].backends(engine);

/** GPU indexes as Triton numbers them; null: unknown. A CUDA process uses one MIG device at most. */
export const visibleGpus = <Kind extends EngineKind>(engine: OfKind<Kind>): readonly number[] | null =>
  engineRows[engine.kind].gpus(engine);

export const neededTools = <Kind extends EngineKind>(engine: OfKind<Kind>): readonly ToolId[] =>
  engineRows[engine.kind].tools(engine);

/** The engine as chosen so far, completed by defaults; local where none is chosen. */
export function engineDraft(chosen: unknown): EngineSpec {
  const tree = isTree(chosen) ? chosen : {};
  const kind = engines.find((one) => one === tree['kind']) ?? 'local';
  return engineRows[kind].draft(tree);
}

/** All work is done in containers, whose images have the tools. */
export const inContainers = <Engine extends { readonly kind: EngineKind }>(
  engine: Engine,
): engine is Engine & { readonly kind: 'docker' } => engine.kind === 'docker';

/** Its Triton already runs, and is neither started nor stopped. */
export const isElsewhere = <Engine extends { readonly kind: EngineKind }>(
  engine: Engine,
): engine is Engine & { readonly kind: 'remote' } => engine.kind === 'remote';

/** Its Triton is a process of this machine, outside containers. */
export const isProcess = <Engine extends { readonly kind: EngineKind }>(
  engine: Engine,
): engine is Engine & { readonly kind: 'local' } => engine.kind === 'local';

/** Host whose Docker Engine does the work; undefined: this machine, or another engine. */
export const hostOf = (engine: {
  readonly kind: EngineKind;
  readonly host?: string | undefined;
}): string | undefined => (inContainers(engine) ? engine.host : undefined);

/** Its Triton is started on this machine, as a process or in a container. */
export const servesHere = (engine: {
  readonly kind: EngineKind;
  readonly host?: string | undefined;
}): boolean => isProcess(engine) || (inContainers(engine) && engine.host === undefined);

/** GPU ids that were asked for; empty for engines without the field. */
export const askedGpus = (engine: {
  readonly kind: EngineKind;
  readonly gpus?: readonly string[] | undefined;
}): readonly string[] => (inContainers(engine) ? (engine.gpus ?? []) : []);

export function askedPorts(engine: EngineSpec): {
  readonly httpPort?: number | undefined;
  readonly grpcPort?: number | undefined;
} {
  if (isElsewhere(engine)) return {};
  const { httpPort, grpcPort } = engine;
  return { httpPort, grpcPort };
}

/** null of engines without jobs. */
export function jobAbilities(kind: EngineKind): JobRow | null {
  const known = jobEngines.find((one) => one === kind);
  return known === undefined ? null : jobRows[known];
}

export const isInJob = (env: Readonly<Record<string, string | undefined>>): boolean =>
  jobEngines.some((kind) => env[jobRows[kind].variable] !== undefined);
