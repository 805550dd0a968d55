import { z } from 'zod';
import {
  type DeploymentChange,
  deploymentChanges,
  deploymentVersionSchema,
  endsChange,
  recoveryOutcomes,
} from './deployment-change';
import { hostNameSchema } from './host/host-name';
import type { engines, formats, precisions } from './run/run-spec';
import type { ByType, OfType } from './trees';
import { wireErrorSchema } from './wire-error';

/**
 * `ready`: every model answered its canary request. `degraded`: Triton answers, but not every model does. `failed`: it
 * should serve and does not. `unknown`: its host is not reached, and it may serve or not.
 */
export const deploymentStates = ['starting', 'ready', 'degraded', 'stopped', 'failed', 'unknown'] as const;
export type DeploymentState = (typeof deploymentStates)[number];

export const deploymentIdPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
const idSchema = z.string().regex(deploymentIdPattern, 'lower-case letters, digits and "-", not first "-"');
const port = z.int().min(1).max(65535);

/** Where and with what a deployment serves. The image is the very one that its runs were verified on. */
const deploymentEngineSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('local'),
    /** What its models' Python has: TensorFlow or PyTorch. */
    framework: z.enum(['pyt', 'tf']),
  }),
  z.object({
    kind: z.literal('docker'),
    /** Of the list of hosts: its Docker Engine; absent: this machine's. */
    host: hostNameSchema.optional(),
    /** "sha256:…". */
    imageId: z.string(),
    image: z.string(),
    builtHere: z.boolean(),
    gpus: z.array(z.string()),
    shmSizeMiB: z.int().min(1),
    /** Address of its machine that the ports are published on. */
    listen: z.string(),
  }),
]);
export type DeploymentEngine = z.infer<typeof deploymentEngineSchema>;

const versionSchema = deploymentVersionSchema.extend({
  /** Samples that the new version answered as the framework did; 0: the run kept none. */
  checkedSamples: z.int().min(0),
  /** Samples in the largest request that it answered so; absent: one. */
  checkedBatchSize: z.int().min(2).optional(),
});
export type DeployedVersion = z.infer<typeof versionSchema>;

const bodies = [
  z.object({
    type: z.literal('deployment-created'),
    id: idSchema,
    engine: deploymentEngineSchema,
    ports: z.object({ http: port, grpc: port, metrics: port }),
  }),
  /** A version that passed its checks and is served from now on; the one before is kept for a rollback. */
  z.object({ type: z.literal('version-served'), version: versionSchema }),
  /** The version before is served again. */
  z.object({ type: z.literal('rolled-back'), model: z.string(), to: z.int(), from: z.int() }),
  /** What was checked and not served, or could not be started. */
  z.object({
    type: z.literal('failed'),
    what: z.enum(deploymentChanges),
    error: wireErrorSchema,
  }),
  z.object({ type: z.literal('started') }),
  z.object({ type: z.literal('stopped') }),
  /**
   * The process of a local server; its id is in the environment of all that it starts, and it is found by that. Written
   * before it is started, so that no server is without one.
   */
  z.object({
    type: z.literal('server-process'),
    id: z.string().regex(/^[0-9a-f]{32}$/),
  }),
  /** What is about to be done, before the first act of it. */
  z.object({
    type: z.literal('change-begun'),
    what: z.enum(deploymentChanges),
    to: deploymentVersionSchema.optional(),
    from: z.int().nullable().optional(),
    pid: z.int(),
  }),
  /** What another process has made of a change whose own was killed. */
  z.object({
    type: z.literal('change-recovered'),
    outcome: z.enum(recoveryOutcomes),
    problem: z.string().optional(),
  }),
] as const;
const numbered = { seq: z.int().min(1), at: z.string() };
export const deploymentEntrySchema = z.discriminatedUnion('type', [
  bodies[0].extend(numbered),
  bodies[1].extend(numbered),
  bodies[2].extend(numbered),
  bodies[3].extend(numbered),
  bodies[4].extend(numbered),
  bodies[5].extend(numbered),
  bodies[6].extend(numbered),
  bodies[7].extend(numbered),
  bodies[8].extend(numbered),
]);
export type DeploymentEntry = z.infer<typeof deploymentEntrySchema>;
export type DeploymentBody = z.infer<(typeof bodies)[number]>;

export interface DeployedModel {
  readonly active: DeployedVersion;
  /** Served before, and kept; null: there was none, or it was rolled back from. */
  readonly previous: DeployedVersion | null;
  /** The highest number that was ever given: none is given twice. */
  readonly lastVersion: number;
}

/** What its journal says of a deployment. */
export interface Deployment {
  readonly id: string;
  readonly createdAt: string;
  readonly engine: DeploymentEngine;
  readonly ports: { readonly http: number; readonly grpc: number; readonly metrics: number };
  /** By name. */
  readonly models: Readonly<Record<string, DeployedModel>>;
  /** It is to serve, also after a restart of the machine. */
  readonly wanted: boolean;
  readonly startedAt: string | null;
  readonly process: { readonly id: string } | null;
  /** The last one that was begun. */
  readonly change: DeploymentChange | null;
}

const withModel = (state: Deployment, name: string, model: DeployedModel): Deployment => ({
  ...state,
  models: { ...state.models, [name]: model },
});

type Fold = Deployment | null;

const folds: ByType<DeploymentEntry, Fold, [state: Fold]> = {
  'deployment-created': ({ id, at, engine, ports }, state) =>
    state ?? {
      ...{ id, createdAt: at, engine, ports },
      models: {},
      wanted: false,
      startedAt: null,
      process: null,
      change: null,
    },
  'version-served': ({ version }, state) => {
    if (state === null) return null;
    const before = state.models[version.model];
    return withModel(state, version.model, {
      active: version,
      previous: before?.active ?? null,
      lastVersion: Math.max(before?.lastVersion ?? 0, version.version),
    });
  },
  'rolled-back': ({ model, to }, state) => {
    const found = state?.models[model];
    if (state === null || found === undefined || found.previous?.version !== to) return state;
    return withModel(state, model, { ...found, active: found.previous, previous: null });
  },
  failed: (_entry, state) => state,
  started: ({ at }, state) => state && { ...state, wanted: true, startedAt: at },
  stopped: (_entry, state) => state && { ...state, wanted: false, process: null },
  'server-process': ({ id }, state) => state && { ...state, process: { id } },
  'change-begun': ({ what, to, from, pid }, state) =>
    state && { ...state, change: { what, to, from, pid, outcome: null } },
  'change-recovered': ({ outcome, problem }, state) =>
    state && { ...state, change: state.change && { ...state.change, outcome, problem } },
};

function fold<Type extends DeploymentEntry['type']>(entry: OfType<DeploymentEntry, Type>, state: Fold): Fold {
  const after = folds[entry.type](entry, state);
  const change = after?.change ?? null;
  if (after === null || change === null || !endsChange(change, entry.type)) return after;
  return { ...after, change: { ...change, outcome: 'ended' } };
}

/** What a journal says of its deployment; null where it does not begin with one. Pure. */
export const reduceDeployment = (entries: readonly DeploymentEntry[]): Deployment | null =>
  entries.reduce<Fold>((state, entry) => fold(entry, state), null);

/** Of a model of a deployment: `ready` where it answered its canary request just now. */
export const servedModelStates = ['ready', 'not-answering', 'not-loaded', 'unknown'] as const;
export type ServedModelState = (typeof servedModelStates)[number];

export interface ServedTensor {
  readonly name: string;
  readonly datatype: string;
  /** One request's, the batch dimension first where there is one. */
  readonly shape: readonly number[];
}

export interface DeploymentModelInfo {
  readonly name: string;
  readonly version: number;
  readonly state: ServedModelState;
  /** Why it is not ready; null where it is. */
  readonly reason: string | null;
  readonly runId: string;
  readonly format: (typeof formats)[number];
  readonly precision: (typeof precisions)[number];
  readonly checkedSamples: number;
  readonly checkedBatchSize?: number | undefined;
  /** What `rollback` returns to. */
  readonly previous: { readonly version: number; readonly runId: string } | null;
  readonly inputs: readonly ServedTensor[];
}

/** A deployment as it was found just now. */
export interface DeploymentInfo {
  readonly id: string;
  readonly name: string;
  readonly state: DeploymentState;
  /** Why it is not ready; null where it is. */
  readonly reason: string | null;
  /** What may keep it from serving later, although it does now. */
  readonly warning?: string;
  /** null: its journal cannot be read. */
  readonly engine: Exclude<(typeof engines)[number], 'remote'> | null;
  /** Host that it serves on, whose addresses these are; null: this machine. */
  readonly host: string | null;
  /** Image of the container; null for a local one. */
  readonly image: string | null;
  readonly gpus: readonly string[];
  readonly httpUrl: string;
  /** `host:port`. */
  readonly grpcUrl: string;
  readonly metricsUrl: string;
  readonly createdAt: string;
  /** What became of the last change where its process was killed, in words; null: it was not. */
  readonly interrupted: string | null;
  /** What this workbench does with it at present, in words; null: nothing. */
  readonly work: string | null;
  readonly models: readonly DeploymentModelInfo[];
}

const portChoice = port.optional();

/**
 * How a run is deployed: as a deployment of its own, or with `to`, as a new version or model in one. Throws input-invalid,
 * combination-unsupported, verification-failed, deployment-busy and what starting Triton throws.
 */
export const deployRequestSchema = z.strictObject({
  runId: z.string().max(200),
  name: idSchema.optional(),
  to: z.string().max(63).optional(),
  httpPort: portChoice,
  grpcPort: portChoice,
  metricsPort: portChoice,
  /** Containers only; loopback where absent. */
  listen: z.union([z.ipv4(), z.ipv6()]).optional(),
  /** Also a run whose accuracy check did not pass. */
  allowUnverified: z.boolean().optional(),
});
export type DeployRequest = z.infer<typeof deployRequestSchema>;

/**
 * Where the bundle of a run is written: a folder that is new or empty. Throws input-invalid, verification-failed,
 * file-unwritable and disk-full.
 */
export const bundleRequestSchema = z.strictObject({
  runId: z.string().max(200),
  out: z.string().min(1).max(4096),
  /** Also a run whose accuracy check did not pass. */
  allowUnverified: z.boolean().optional(),
});

/** "8 samples and a batch of 16"; null where there was only a canary request. Pure. */
export function checkedByText({
  checkedSamples,
  checkedBatchSize,
}: Pick<DeployedVersion, 'checkedSamples' | 'checkedBatchSize'>): string | null {
  if (checkedSamples === 0) return null;
  const samples = `${checkedSamples} ${checkedSamples === 1 ? 'sample' : 'samples'}`;
  return checkedBatchSize === undefined ? samples : `${samples} and a batch of ${checkedBatchSize}`;
}
