import { WorkbenchError } from '../contract/errors';
import type { ConfigureSpec, ModelSource, RunSpec, ServedRepository } from '../contract/run/run-spec';
import { sameValue, type Tree } from '../contract/trees';
import { unifiedDiff } from '../domain/unified-diff';
import { editConfigPbtxt } from '../triton/config/config-editor';
import { parseConfigPbtxt } from '../triton/config/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import { queueFieldsOf } from './queue-policy';

/** Parameter of a backend with the threads per instance. */
const threadParameters: Readonly<Record<string, string>> = {
  onnxruntime: 'intra_op_thread_count',
  pytorch: 'INTRA_OP_THREAD_COUNT',
  tensorflow: 'TF_NUM_INTRA_THREADS',
};

const isThreads = (name: string): boolean =>
  Object.values(threadParameters).some((known) => known.toLowerCase() === name.toLowerCase());

/** Threads per instance, of a backend's parameter; 0: the runtime's choice. */
export function threadsOf({ parameters = {} }: Pick<ModelConfig, 'parameters'>): number {
  const [, value] = Object.entries(parameters).find(([name]) => isThreads(name)) ?? [];
  const threads = Number(value?.stringValue ?? '');
  return Number.isSafeInteger(threads) && threads > 0 ? threads : 0;
}

export const isThreadParameter = isThreads;

/** What a load must know of a model, as an edit of config.pbtxt. */
export function traitsPatch(config: ModelConfig): Readonly<Record<string, unknown>> {
  const kept = ['sequenceBatching', 'modelTransactionPolicy'] as const;
  return Object.fromEntries(
    kept.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]] as const])),
  );
}

const wholeOf = (value: unknown): number => {
  const number = Number(value ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
};

/** `default-max-batch-size` of Triton's ONNX Runtime and TensorFlow backends. */
export const completedBatchSize = 4;

/** A repository that a run serves as it is. */
export type RepositorySource = ModelSource & { readonly repository: ServedRepository };

/** null for other models. */
export function repositorySourceOf({ source }: Pick<RunSpec['model'], 'source'>): RepositorySource | null {
  const repository = source?.repository;
  return source === undefined || repository === undefined ? null : { ...source, repository };
}

function groupFields({ instanceGroup: [group] = [] }: ModelConfig) {
  const { count = 1, kind } = group ?? {};
  const instanceKind = kind === 'KIND_CPU' || kind === 'KIND_GPU' ? kind : 'KIND_AUTO';
  return { instances: Math.max(1, count), instanceKind } as const;
}

function batcherFields(dynamic: ModelConfig['dynamicBatching']) {
  return {
    preferredBatchSizes: [...(dynamic?.preferredBatchSize ?? [])],
    maxQueueDelayUs: wholeOf(dynamic?.maxQueueDelayMicroseconds),
    ...queueFieldsOf(dynamic?.defaultQueuePolicy),
  };
}

/** The fields of a run as the configuration has them, or as Triton completes it; those of the queue may be absent. */
export function ownFields({ repository, batched }: RepositorySource) {
  const { models, version, config: text } = repository;
  const config = parseConfigPbtxt(text ?? '');
  const isCompleted = batched && config.maxBatchSize === 0;
  const maxBatchSize = isCompleted ? completedBatchSize : Math.max(0, config.maxBatchSize);
  const dynamic = maxBatchSize > 0 ? config.dynamicBatching : undefined;
  const undelayed = maxBatchSize > 0 ? 'static' : 'disabled';
  return {
    modelName: models[0]?.name ?? '',
    modelVersion: version,
    maxBatchSize,
    batching: dynamic !== undefined || isCompleted ? 'dynamic' : undelayed,
    ...batcherFields(dynamic),
    ...groupFields(config),
    threads: threadsOf(config),
    configPatch: traitsPatch(config),
  } satisfies Partial<ConfigureSpec>;
}

/** A field of the form that differs from the file. */
interface FieldEdit {
  readonly field: keyof ConfigureSpec;
  /** In config.pbtxt; see config-editor.ts. */
  readonly path: string;
  /** undefined: removed. */
  readonly value: unknown;
}

interface FieldRefusal {
  readonly field: keyof ConfigureSpec;
  readonly message: string;
  readonly remedy: string;
}

const editTheFile = 'Change config.pbtxt of the repository, and open it again; or leave the field as it is.';

/** What the form is about. */
interface Own {
  readonly config: ModelConfig;
  readonly backend: string;
  readonly folder: string;
  /** As the file has it. */
  readonly batched: boolean;
}

type Refusal = (own: Own, after: ConfigureSpec) => string | null;

const otherAxes =
  'The tensors of config.pbtxt have axes for this way of batching, and would have to change with it';

const keepsAxes: Refusal = ({ batched }, { batching, maxBatchSize }) =>
  batched === (batching !== 'disabled' && maxBatchSize > 0) ? null : otherAxes;

const queues: Refusal = ({ backend, config }, after) => {
  if (backend === 'ensemble') return 'An ensemble does not batch: its steps do';
  if (config['sequenceBatching'] === undefined) return null;
  return after.batching === 'dynamic'
    ? 'The model has sequence_batching, which excludes dynamic_batching'
    : null;
};

const hasOneGroup: Refusal = ({ backend, config }) => {
  if (backend === 'ensemble') return 'An ensemble has no instances: those of its steps execute it';
  const groups = config.instanceGroup ?? [];
  return groups.length > 1
    ? `instance_group of config.pbtxt has ${groups.length} groups, but the field describes only one`
    : null;
};

const noPlace: Refusal = () =>
  'The configuration of a repository is served as it is, and this part of it has no field here';

/** A field of the form in config.pbtxt. */
interface FieldPlace {
  /** Why the configuration has no place for it; null where it has. */
  readonly refusal: Refusal;
  /** See config-editor.ts; absent: always refused. */
  readonly path?: (own: Own) => string;
  /** undefined: removed. */
  readonly value?: (after: ConfigureSpec) => unknown;
}

/** proto3 does not distinguish these from none. */
const unless = <Value>(value: Value | undefined, none: Value): Value | undefined =>
  value === none ? undefined : value;

const refusedAlways = { refusal: noPlace };

/** Of the dynamic batcher: without it there is nowhere to write them. */
const ofQueue = (name: string, value: (after: ConfigureSpec) => unknown): FieldPlace => ({
  refusal: queues,
  path: () => `dynamic_batching.${name}`,
  value,
});

/** In the order in which they are written. */
const places: Readonly<Record<keyof ConfigureSpec, FieldPlace>> = {
  modelName: { refusal: ({ folder }) => `The model is served under the name of its folder, ${folder}` },
  modelVersion: {
    refusal: () => 'The versions that are served are those of version_policy in config.pbtxt',
  },
  maxBatchSize: {
    refusal: keepsAxes,
    path: () => 'max_batch_size',
    value: ({ maxBatchSize }) => maxBatchSize,
  },
  batching: {
    refusal: (own, after) => queues(own, after) ?? keepsAxes(own, after),
    path: () => 'dynamic_batching',
    value: ({ batching }) => (batching === 'dynamic' ? {} : undefined),
  },
  preferredBatchSizes: ofQueue('preferred_batch_size', ({ preferredBatchSizes }) => [...preferredBatchSizes]),
  maxQueueDelayUs: ofQueue('max_queue_delay_microseconds', ({ maxQueueDelayUs }) =>
    unless(maxQueueDelayUs, 0),
  ),
  maxQueueSize: ofQueue('default_queue_policy.max_queue_size', ({ maxQueueSize }) => unless(maxQueueSize, 0)),
  queueTimeoutUs: ofQueue('default_queue_policy.default_timeout_microseconds', ({ queueTimeoutUs }) =>
    unless(queueTimeoutUs, 0),
  ),
  queueTimeoutAction: ofQueue('default_queue_policy.timeout_action', ({ queueTimeoutAction }) =>
    queueTimeoutAction === 'delay' ? 'DELAY' : undefined,
  ),
  allowTimeoutOverride: ofQueue('default_queue_policy.allow_timeout_override', ({ allowTimeoutOverride }) =>
    unless(allowTimeoutOverride, false),
  ),
  instances: {
    refusal: hasOneGroup,
    path: () => 'instance_group[0].count',
    value: ({ instances }) => instances,
  },
  instanceKind: {
    refusal: hasOneGroup,
    path: () => 'instance_group[0].kind',
    value: ({ instanceKind }) => unless(instanceKind, 'KIND_AUTO'),
  },
  threads: {
    refusal: ({ backend }) =>
      threadParameters[backend] === undefined
        ? `The backend ${backend} has no parameter for its threads`
        : null,
    path: ({ backend }) => `parameters["${threadParameters[backend] ?? ''}"]`,
    value: ({ threads }) => (threads === 0 ? undefined : { string_value: String(threads) }),
  },
  warmup: refusedAlways,
  warmupBatchSizes: refusedAlways,
  backendAccelerator: refusedAlways,
  captureCudaGraph: refusedAlways,
  configPatch: refusedAlways,
};

const fields = Object.keys(places) as (keyof ConfigureSpec)[];

/** Of fields that may be absent. */
const usual: Partial<ConfigureSpec> = {
  ...{ maxQueueSize: 0, queueTimeoutUs: 0, queueTimeoutAction: 'reject', allowTimeoutOverride: false },
  ...{ warmup: 'none', backendAccelerator: 'none', captureCudaGraph: false },
};

/** A repository's model, and the fields of the form. */
export interface OwnConfig {
  readonly configure: ConfigureSpec;
  readonly source: RepositorySource;
}

export interface OwnEdits {
  readonly edits: readonly FieldEdit[];
  readonly refused: readonly FieldRefusal[];
}

/** What the form changes of the repository's configuration. Pure. */
export function ownEdits({ configure, source }: OwnConfig): OwnEdits {
  const { repository } = source;
  const [own] = repository.models;
  const before = ownFields(source);
  const about: Own = {
    config: parseConfigPbtxt(repository.config ?? ''),
    backend: own?.backend ?? '',
    folder: own?.name ?? '',
    batched: before.maxBatchSize > 0,
  };
  const valueOf = (tree: Tree, field: keyof ConfigureSpec) => tree[field] ?? usual[field];
  const changed = fields.filter(
    (field) => !sameValue(valueOf(before, field) ?? null, valueOf(configure, field) ?? null),
  );
  const edits: FieldEdit[] = [];
  const refused: FieldRefusal[] = [];
  for (const field of changed) {
    const { refusal, path, value } = places[field];
    const message = refusal(about, configure);
    if (message !== null) refused.push({ field, message, remedy: editTheFile });
    else if (path !== undefined && (configure.batching === 'dynamic' || refusal !== queues)) {
      edits.push({ field, path: path(about), value: value?.(configure) });
    }
  }
  return { edits, refused };
}

export interface OwnText {
  /** null: the model has no config.pbtxt, and nothing is changed. */
  readonly text: string | null;
  /** '' without a change. */
  readonly diff: string;
}

/** config.pbtxt with the fields of the form that differ from it, and every other byte as it is. Throws config-invalid. */
export function ownConfigText(own: OwnConfig): OwnText {
  const { edits, refused } = ownEdits(own);
  const [first] = refused;
  if (first !== undefined) {
    const { field, message, remedy } = first;
    throw new WorkbenchError('config-invalid', message, { where: `configure.${field}`, remedy });
  }
  const { config } = own.source.repository;
  if (edits.length === 0) return { text: config, diff: '' };
  const text = edits.reduce(
    (current, { path, value }) => editConfigPbtxt(current, path, value),
    config ?? '',
  );
  const name = own.source.repository.models[0]?.name ?? '';
  return { text, diff: unifiedDiff(`${name}/config.pbtxt`, config ?? '', text, config === null) };
}
