import { z } from 'zod';
import { later } from '../later';
import { capacityAskSchema } from '../measured/capacity-ask';
import { type ColdStart, coldStartSchema } from '../measured/cold-start';
import type { PromisedLoad } from '../measured/promised-load';
import { tracingSchema } from '../measured/trace-setting';
import { type ModelRecord, modelRecordSchema } from '../own/model-record';
import { type Accuracy, accuracySchema } from '../run/run-outcome';
import type { engines, formats, precisions } from '../run/run-spec';
import { type ByType, type OfType, present } from '../trees';
import { wireErrorSchema } from '../wire-error';
import {
  type DeploymentChange,
  deploymentChanges,
  type DeploymentVersion,
  deploymentVersionSchema,
  endsChange,
  recoveryOutcomes,
} from './deployment-change';
import { type DeploymentEngine, deploymentEngineSchema } from './deployment-engine';

export type { DeploymentEngine } from './deployment-engine';

/**
 * `ready`: every model answered its canary request. `degraded`: Triton answers, but not every model does. `failed`: it
 * should serve and does not. `unknown`: its host is not reachable.
 */
export const deploymentStates = ['starting', 'ready', 'degraded', 'stopped', 'failed', 'unknown'] as const;
export type DeploymentState = (typeof deploymentStates)[number];

export const deploymentIdPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
const idSchema = z.string().regex(deploymentIdPattern, 'lower-case letters, digits and "-", not first "-"');
const port = z.int().min(1).max(65535);

const versionSchema = deploymentVersionSchema.extend({
  /** Samples for which the new version agreed with the framework; 0: the run kept none. */
  checkedSamples: z.int().min(0),
  /** Samples in the largest compared request; absent: one. */
  checkedBatchSize: z.int().min(2).optional(),
  /** Name of the golden file that the samples are of; absent: of the framework. */
  golden: z.string().optional(),
  /** Of its run, or of the samples of the version before; absent in journals of earlier versions. */
  accuracy: accuracySchema.shape.word.optional(),
  /** Of its first load here; absent in journals of earlier versions. */
  coldStart: coldStartSchema.optional(),
  /** Of a Hugging Face folder, as its run read it; absent: another model, or of an earlier version. */
  record: modelRecordSchema.optional(),
});
export type DeployedVersion = z.infer<typeof versionSchema>;

const bodies = [
  z.object({
    type: z.literal('deployment-created'),
    id: idSchema,
    engine: deploymentEngineSchema,
    ports: z.object({ http: port, grpc: port, metrics: port }),
  }),
  /** Passed its checks and is served from now on; the previous version is kept for a rollback. */
  z.object({ type: z.literal('version-served'), version: versionSchema }),
  z.object({ type: z.literal('rolled-back'), model: z.string(), to: z.int(), from: z.int() }),
  /** Checked and not served, or not startable. */
  z.object({
    type: z.literal('failed'),
    what: z.enum(deploymentChanges),
    error: wireErrorSchema,
  }),
  z.object({ type: z.literal('started') }),
  z.object({ type: z.literal('stopped') }),
  /** Written before the process starts, which is later found by this id in its environment. */
  z.object({
    type: z.literal('server-process'),
    id: z.string().regex(/^[0-9a-f]{32}$/),
  }),
  /** Written before the first action of a change. */
  z.object({
    type: z.literal('change-begun'),
    what: z.enum(deploymentChanges),
    to: deploymentVersionSchema.optional(),
    from: z.int().nullable().optional(),
    /** Of a move: where to, and where it served. */
    engines: z.object({ to: deploymentEngineSchema, from: deploymentEngineSchema }).optional(),
    tracing: tracingSchema.optional(),
    pid: z.int(),
  }),
  /** It serves on another engine from its next start on. */
  z.object({ type: z.literal('engine-changed'), engine: deploymentEngineSchema }),
  /** Every model answered there as its run did. */
  z.object({ type: z.literal('moved') }),
  /** How another process completed a change whose own was killed. */
  z.object({
    type: z.literal('change-recovered'),
    outcome: z.enum(recoveryOutcomes),
    problem: z.string().optional(),
  }),
  /** The trace settings are as before. */
  z.object({ type: z.literal('tracing-ended') }),
] as const;
const numbered = { seq: z.int().min(1), at: z.string() };
export const deploymentEntrySchema = later(() =>
  z.discriminatedUnion('type', [
    bodies[0].extend(numbered),
    bodies[1].extend(numbered),
    bodies[2].extend(numbered),
    bodies[3].extend(numbered),
    bodies[4].extend(numbered),
    bodies[5].extend(numbered),
    bodies[6].extend(numbered),
    bodies[7].extend(numbered),
    bodies[8].extend(numbered),
    bodies[9].extend(numbered),
    bodies[10].extend(numbered),
    bodies[11].extend(numbered),
  ]),
);
export type DeploymentEntry = z.infer<typeof deploymentEntrySchema>;
export type DeploymentBody = z.infer<(typeof bodies)[number]>;

export interface DeployedModel {
  readonly active: DeployedVersion;
  /** The kept previous version; null: none, or it was rolled back from. */
  readonly previous: DeployedVersion | null;
  /** Highest number ever given: none is given twice. */
  readonly lastVersion: number;
}

export interface Deployment {
  readonly id: string;
  readonly createdAt: string;
  readonly engine: DeploymentEngine;
  readonly ports: { readonly http: number; readonly grpc: number; readonly metrics: number };
  readonly models: Readonly<Record<string, DeployedModel>>;
  /** It should serve, also after a restart of the machine. */
  readonly wanted: boolean;
  readonly startedAt: string | null;
  readonly process: { readonly id: string } | null;
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
      id,
      createdAt: at,
      engine,
      ports,
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
  'change-begun': ({ what, to, from, engines, tracing, pid }, state) =>
    state && { ...state, change: { what, to, from, ...present({ engines, tracing }), pid, outcome: null } },
  'engine-changed': ({ engine }, state) => state && { ...state, engine },
  moved: (_entry, state) => state,
  'tracing-ended': (_entry, state) => state,
  'change-recovered': ({ outcome, problem }, state) =>
    state && { ...state, change: state.change && { ...state.change, outcome, problem } },
};

function fold<Type extends DeploymentEntry['type']>(entry: OfType<DeploymentEntry, Type>, state: Fold): Fold {
  const after = folds[entry.type](entry, state);
  const change = after?.change ?? null;
  if (after === null || change === null || !endsChange(change, entry.type)) return after;
  return { ...after, change: { ...change, outcome: 'ended' } };
}

export const reduceDeployment = (entries: readonly DeploymentEntry[]): Deployment | null =>
  entries.reduce<Fold>((state, entry) => fold(entry, state), null);

/** `ready`: the model answered its canary request just now. */
export const servedModelStates = ['ready', 'not-answering', 'not-loaded', 'unknown'] as const;
export type ServedModelState = (typeof servedModelStates)[number];

export interface ServedTensor {
  readonly name: string;
  readonly datatype: string;
  /** Of one request, batch dimension first where there is one. */
  readonly shape: readonly number[];
}

export interface DeploymentModelInfo {
  readonly name: string;
  readonly version: number;
  readonly state: ServedModelState;
  readonly reason: string | null;
  readonly runId: string;
  readonly format: (typeof formats)[number];
  readonly precision: (typeof precisions)[number];
  readonly checkedSamples: number;
  readonly checkedBatchSize?: number | undefined;
  /** Origin, license and hashes; absent: not of a Hugging Face folder. */
  readonly record?: ModelRecord | undefined;
  /** Golden file that the samples are of; absent: of the framework. */
  readonly golden?: string | undefined;
  readonly accuracy: Accuracy['word'];
  /** Of its first load here; absent: not measured. */
  readonly coldStart?: ColdStart | undefined;
  /** What its configuration holds; absent: it is not that of a search. */
  readonly promised?: PromisedLoad | undefined;
  /** Of a repository that is served as it is: Triton's version of the model, and the models that are served with it. */
  readonly repository?: DeploymentVersion['repository'];
  /** What `rollback` returns to. */
  readonly previous: { readonly version: number; readonly runId: string } | null;
  readonly inputs: readonly ServedTensor[];
}

export interface DeploymentInfo {
  readonly id: string;
  readonly name: string;
  readonly state: DeploymentState;
  readonly reason: string | null;
  /** May keep it from serving later, although it serves now. */
  readonly warning?: string;
  /** null: its journal cannot be read. */
  readonly engine: Exclude<(typeof engines)[number], 'remote'> | null;
  /** Host of these addresses; null: this machine. */
  readonly host: string | null;
  /** Image of the container; null for a local server. */
  readonly image: string | null;
  /** Folder of its serving environment; absent: that of the home, or a container. */
  readonly environment?: string | undefined;
  readonly gpus: readonly string[];
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly metricsUrl: string;
  readonly createdAt: string;
  /** Text about a last change whose process was killed; null: it was not. */
  readonly interrupted: string | null;
  readonly work: string | null;
  readonly models: readonly DeploymentModelInfo[];
}

const portChoice = port.optional();

/**
 * Deploys a run as a deployment of its own, or with `to` as a new version or model of one. Throws input-invalid,
 * combination-unsupported, verification-failed, deployment-busy and what starting Triton throws.
 */
export const deployRequestSchema = later(() =>
  z.strictObject({
    runId: z.string().max(200),
    name: idSchema.optional(),
    to: z.string().max(63).optional(),
    httpPort: portChoice,
    grpcPort: portChoice,
    metricsPort: portChoice,
    /** Containers only; absent: loopback. */
    listen: z.union([z.ipv4(), z.ipv6()]).optional(),
    /** Accepts a run whose accuracy failed or was not checked. */
    allowUnverified: z.boolean().optional(),
    /** With the best configuration of this search of the run; absent: with that of the run. */
    search: z.string().max(40).optional(),
  }),
);
export type DeployRequest = z.infer<typeof deployRequestSchema>;

/** Target folder of a bundle, new or empty. Throws input-invalid, verification-failed, file-unwritable and disk-full. */
export const bundleRequestSchema = later(() =>
  z.strictObject({
    runId: z.string().max(200),
    out: z.string().min(1).max(4096),
    /** Accepts a run whose accuracy failed or was not checked. */
    allowUnverified: z.boolean().optional(),
    /** Sets the replicas of the manifests; absent: starting points. Throws input-invalid where no level holds it. */
    capacity: capacityAskSchema.optional(),
    /** With the best configuration of this search of the run; absent: with that of the run. */
    search: z.string().max(40).optional(),
  }),
);

/** "8 samples and a batch of 16"; null where there was only a canary request. */
export function checkedByText({
  checkedSamples,
  checkedBatchSize,
}: Pick<DeployedVersion, 'checkedSamples' | 'checkedBatchSize'>): string | null {
  if (checkedSamples === 0) return null;
  const samples = `${checkedSamples} ${checkedSamples === 1 ? 'sample' : 'samples'}`;
  return checkedBatchSize === undefined ? samples : `${samples} and a batch of ${checkedBatchSize}`;
}

type CheckedModel = Pick<DeployedVersion, 'checkedSamples' | 'checkedBatchSize' | 'golden' | 'accuracy'>;

/** Of an earlier version's journal: by what it was checked with. */
export const deployedAccuracy = ({ accuracy, checkedSamples }: CheckedModel): Accuracy['word'] =>
  accuracy ?? (checkedSamples > 0 ? 'verified' : 'not checked');

/** "canary, 8 samples of the framework", "accuracy not checked, canary only". */
export function deployedCheckText(model: CheckedModel): string {
  const by = checkedByText(model);
  const word = deployedAccuracy(model);
  if (by !== null) return `canary, ${by} of ${model.golden ?? 'the framework'}`;
  return word === 'verified' ? 'accuracy verified in its run, canary only' : `accuracy ${word}, canary only`;
}

/** "onnx fp16"; of a repository "Triton repository as it is, version 1 of Triton, with scale, relu_net". */
export function deployedKindText({
  format,
  precision,
  repository,
}: Pick<DeploymentVersion, 'format' | 'precision' | 'repository'>): string {
  if (repository === undefined) return `${format} ${precision}`;
  const [, ...others] = repository.models;
  const beside = others.length === 0 ? '' : `, with ${others.join(', ')}`;
  return `Triton repository as it is, version ${repository.version} of Triton${beside}`;
}
