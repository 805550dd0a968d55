import type { WireError } from '../../contract/errors';
import { localHost } from '../../contract/host/host-name';
import { hostOf as hostOfUrl } from '../../contract/reach';
import { inContainers, isElsewhere, isSlice, visibleGpus } from '../../contract/run/engine-kinds';
import type { Scenario } from '../../contract/run/run-events';
import { engineOf, modelOf } from '../../contract/run/run-source';
import type { DockerEngineSpec, RunSpec } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import type { Choice, MatrixAxis } from '../../contract/run/spec-tools';
import { bestSteadyPoint } from './points';

export interface MatrixResult {
  /** From 1. */
  readonly number: number;
  readonly axes: readonly MatrixAxis[];
  /** What was asked for; absent: its run is known only. */
  readonly choice?: Choice;
  /** null where the choice is invalid. */
  readonly spec: RunSpec | null;
  /** null: no run was created. */
  readonly state: RunState | null;
  /** Why it can never run; null where it can. */
  readonly leftOut: string | null;
  readonly error: WireError | null;
  /** Candidate hosts, "local" for this machine; absent: not spread over hosts. */
  readonly hosts?: readonly string[];
}

const cpuOf = (machine: string): string => `CPU of ${machine === localHost ? 'this machine' : machine}`;

/** "NVIDIA A30", "2 × NVIDIA A30", "NVIDIA A30, Tesla T4". */
function gpusText(names: readonly string[]): string {
  const kinds = [...new Set(names)];
  return kinds
    .map((kind) => {
      const count = names.filter((name) => name === kind).length;
      return count === 1 ? kind : `${count} × ${kind}`;
    })
    .join(', ');
}

function containerDevice(engine: DockerEngineSpec, gpus: RunState['environment']['gpus']): string {
  if (visibleGpus(engine)?.length === 0) return cpuOf(engine.host ?? localHost);
  // The machine did not report its GPUs at the start.
  if (gpus.length === 0) return `GPU of ${engine.host ?? 'this machine'}`;
  return `${gpusText(gpus.map(({ name }) => name))}${engine.gpus.some(isSlice) ? ' (MIG)' : ''}`;
}

function deviceOfState(state: RunState): string | null {
  const engine = engineOf(state);
  if (engine === null) return null;
  const { environment, job } = state;
  const { gpus } = environment;
  // This machine's hardware is not that of the server.
  if (isElsewhere(engine)) return `Server ${hostOfUrl(engine.url) ?? engine.url}`;
  if (inContainers(engine)) return containerDevice(engine, gpus);
  return visibleGpus(engine)?.length !== 0 && gpus.length > 0
    ? gpusText(gpus.map(({ name }) => name))
    : cpuOf(job?.node ?? localHost);
}

/** Device from the recorded environment: GPUs, or the CPU of a machine; null without a run. */
export const measuredOn = ({ state }: Pick<MatrixResult, 'state'>): string | null =>
  state === null ? null : deviceOfState(state);

export interface DeviceRow {
  readonly device: string;
  readonly result: MatrixResult;
  /** The same choice on the first GPU; null where not measured, and for the first GPU itself. */
  readonly baseline: MatrixResult | null;
}

/** Runs on one GPU, several of a kind, or one machine's CPU. */
export interface DeviceGroup {
  readonly device: string;
  readonly rows: readonly DeviceRow[];
}

/** Choices that only select where to measure. */
const ofPlace: ReadonlySet<string> = new Set(['engine.host', 'engine.gpus', 'engine.url', 'targetGpu']);

const choiceOf = ({ axes }: MatrixResult): string =>
  JSON.stringify(axes.filter(({ field }) => !ofPlace.has(field)));

/** Choices beside the GPU: "resnet50, onnx, fp16". */
export function choiceText({ axes, spec, state }: MatrixResult): string {
  const values = axes.filter(({ field }) => !ofPlace.has(field)).map(({ value }) => value);
  if (values.length > 0) return values.join(', ');
  return state === null ? (spec?.model.preset ?? '') : modelOf(state);
}

/** Started runs by device, GPUs before CPUs, else in matrix order; empty where all were on the same. */
export function byGpu(results: readonly MatrixResult[]): readonly DeviceGroup[] {
  const found = new Map<string, MatrixResult[]>();
  for (const result of results) {
    const device = measuredOn(result);
    if (device !== null) found.set(device, [...(found.get(device) ?? []), result]);
  }
  if (found.size < 2) return [];
  const isCpu = (device: string): number => (device.startsWith('CPU of ') ? 1 : 0);
  const groups = [...found].sort(([one], [other]) => isCpu(one) - isCpu(other));
  const [, first = []] = groups[0] ?? [];
  return groups.map(([device, members]) => ({
    device,
    rows: members.map((result) => ({
      device,
      result,
      baseline: members === first ? null : (first.find((one) => choiceOf(one) === choiceOf(result)) ?? null),
    })),
  }));
}

/** A choice was measured on the first GPU and on another, so that they are compared. */
export const isRelative = (groups: readonly DeviceGroup[]): boolean =>
  groups.some(({ rows }) => rows.some(({ baseline }) => baseline !== null));

/** Best steady level; null without one. */
export const throughputOf = ({ state }: MatrixResult, scenario: Scenario): number | null =>
  state === null ? null : (bestSteadyPoint(state, scenario)?.inferencesPerSecond ?? null);

/** Throughput of the best steady level relative to the baseline; null where one is missing. */
export function throughputRatio({ result, baseline }: DeviceRow, scenario: Scenario): number | null {
  if (baseline === null) return null;
  const [own, other] = [throughputOf(result, scenario), throughputOf(baseline, scenario)];
  return own === null || other === null || other === 0 ? null : own / other;
}
