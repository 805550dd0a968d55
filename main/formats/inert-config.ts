import * as protobuf from 'protobufjs/light.js';
import { WorkbenchError } from '../contract/errors';
import type { ConfigureSpec } from '../contract/run/run-spec';
import type { ModelConfig } from '../triton/model-config';
import { modelConfigType, plainMessage, textName } from '../triton/plain-message';
import { applyConfigPatch } from '../triton/served-config';
import { isWarmUpFile } from './warm-up';

/**
 * Allowed fields of config.pbtxt, with which Triton loads no library, runs no command and reads no file of its choice.
 * Unlisted fields, as of later releases, are refused until reviewed.
 */
const inertFields: Readonly<Record<string, readonly string[]>> = {
  ModelConfig: [
    ...['name', 'platform', 'backend', 'versionPolicy', 'maxBatchSize', 'input', 'output', 'batchInput'],
    ...['batchOutput', 'optimization', 'dynamicBatching', 'sequenceBatching', 'instanceGroup'],
    ...['defaultModelFilename', 'metricTags', 'parameters', 'modelWarmup', 'modelTransactionPolicy'],
    ...['responseCache', 'modelMetrics'],
  ],
  ModelRateLimiter: ['resources', 'priority'],
  'ModelRateLimiter.Resource': ['name', 'global', 'count'],
  ModelInstanceGroup: [
    ...['name', 'kind', 'count', 'rateLimiter', 'gpus', 'secondaryDevices', 'profile', 'passive'],
    'hostPolicy',
  ],
  'ModelInstanceGroup.SecondaryDevice': ['kind', 'deviceId'],
  ModelTensorReshape: ['shape'],
  ModelInput: [
    ...['name', 'dataType', 'format', 'dims', 'reshape', 'isShapeTensor', 'allowRaggedBatch', 'optional'],
    'isNonLinearFormatIo',
  ],
  ModelOutput: [
    ...['name', 'dataType', 'dims', 'reshape', 'labelFilename', 'isShapeTensor', 'isNonLinearFormatIo'],
  ],
  BatchInput: ['kind', 'targetName', 'dataType', 'sourceInput'],
  BatchOutput: ['targetName', 'kind', 'sourceInput'],
  ModelVersionPolicy: ['latest', 'all', 'specific'],
  'ModelVersionPolicy.Latest': ['numVersions'],
  'ModelVersionPolicy.All': [],
  'ModelVersionPolicy.Specific': ['versions'],
  ModelOptimizationPolicy: [
    ...['graph', 'priority', 'cuda', 'executionAccelerators', 'inputPinnedMemory', 'outputPinnedMemory'],
    ...['gatherKernelBufferThreshold', 'eagerBatching'],
  ],
  'ModelOptimizationPolicy.Graph': ['level'],
  'ModelOptimizationPolicy.Cuda': ['graphs', 'busyWaitEvents', 'graphSpec', 'outputCopyStream'],
  'ModelOptimizationPolicy.Cuda.GraphSpec': ['batchSize', 'input', 'graphLowerBound'],
  'ModelOptimizationPolicy.Cuda.GraphSpec.Shape': ['dim'],
  'ModelOptimizationPolicy.Cuda.GraphSpec.LowerBound': ['batchSize', 'input'],
  'ModelOptimizationPolicy.ExecutionAccelerators': ['gpuExecutionAccelerator', 'cpuExecutionAccelerator'],
  'ModelOptimizationPolicy.ExecutionAccelerators.Accelerator': ['name', 'parameters'],
  'ModelOptimizationPolicy.PinnedMemoryBuffer': ['enable'],
  ModelQueuePolicy: ['timeoutAction', 'defaultTimeoutMicroseconds', 'allowTimeoutOverride', 'maxQueueSize'],
  ModelDynamicBatching: [
    ...['preferredBatchSize', 'maxQueueDelayMicroseconds', 'preserveOrdering', 'priorityLevels'],
    ...['defaultPriorityLevel', 'defaultQueuePolicy', 'priorityQueuePolicy'],
  ],
  ModelSequenceBatching: [
    ...['direct', 'oldest', 'maxSequenceIdleMicroseconds', 'controlInput', 'state', 'iterativeSequence'],
  ],
  'ModelSequenceBatching.Control': [
    ...['kind', 'int32FalseTrue', 'fp32FalseTrue', 'boolFalseTrue', 'dataType'],
  ],
  'ModelSequenceBatching.ControlInput': ['name', 'control'],
  'ModelSequenceBatching.InitialState': ['dataType', 'dims', 'zeroData', 'name'],
  'ModelSequenceBatching.State': [
    ...['inputName', 'outputName', 'dataType', 'dims', 'initialState', 'useSameBufferForInputOutput'],
    'useGrowableMemory',
  ],
  'ModelSequenceBatching.StrategyDirect': ['maxQueueDelayMicroseconds', 'minimumSlotUtilization'],
  'ModelSequenceBatching.StrategyOldest': [
    ...['maxCandidateSequences', 'preferredBatchSize', 'maxQueueDelayMicroseconds', 'preserveOrdering'],
  ],
  ModelParameter: ['stringValue'],
  ModelWarmup: ['name', 'batchSize', 'inputs', 'count'],
  'ModelWarmup.Input': ['dataType', 'dims', 'zeroData', 'randomData', 'inputDataFile'],
  ModelTransactionPolicy: ['decoupled'],
  ModelResponseCache: ['enable'],
  ModelMetrics: ['metricControl'],
  'ModelMetrics.MetricControl': ['metricIdentifier', 'histogramOptions'],
  'ModelMetrics.MetricControl.MetricIdentifier': ['family'],
  'ModelMetrics.MetricControl.HistogramOptions': ['buckets'],
};

/** Parameters of backends and of `resources/serving` that are numbers, switches and names. */
const inertParameters: ReadonlySet<string> = new Set([
  // resources/serving
  ...['model_filename', 'execution_providers', 'intra_op_threads', 'inter_op_threads'],
  // ONNX Runtime
  ...['intra_op_thread_count', 'inter_op_thread_count', 'execution_mode', 'enable_mem_arena'],
  ...['enable_mem_pattern', 'memory.enable_memory_arena_shrinkage', 'session.intra_op.allow_spinning'],
  ...['session.inter_op.allow_spinning', 'session.set_denormal_as_zero', 'session.dynamic_block_base'],
  // PyTorch
  ...['INTRA_OP_THREAD_COUNT', 'INTER_OP_THREAD_COUNT', 'DISABLE_OPTIMIZED_EXECUTION', 'INFERENCE_MODE'],
  ...['DISABLE_CUDNN', 'ENABLE_WEIGHT_SHARING', 'ENABLE_CACHE_CLEANING', 'ENABLE_JIT_EXECUTOR'],
  ...['ENABLE_JIT_PROFILING', 'ENABLE_TENSOR_FUSER', 'ENABLE_NVFUSER'],
  // TensorFlow
  ...['TF_NUM_INTRA_THREADS', 'TF_NUM_INTER_THREADS', 'TF_USE_PER_SESSION_THREADS', 'TF_GRAPH_TAG'],
  ...['TF_SIGNATURE_DEF', 'MAX_SESSION_SHARE_COUNT'],
  // TensorRT
  'execution_context_allocation_strategy',
  // Python
  'FORCE_CPU_ONLY_INPUT_TENSORS',
]);

const inertAccelerators: ReadonlySet<string> = new Set([
  ...['tensorrt', 'cuda', 'openvino', 'auto_mixed_precision', 'gpu_io'],
]);

/** Location of TensorRT's engines in our configurations: /tmp of Triton's container. */
export const engineCachePath = '/tmp/tensorrt-engines';

/** Excludes parameters that name files (calibration table, plugin libraries), except our engine cache. */
const inertAcceleratorParameters: ReadonlySet<string> = new Set([
  ...['precision_mode', 'max_workspace_size_bytes', 'minimum_segment_size', 'max_cached_engines'],
  ...['is_dynamic_op', 'trt_max_workspace_size', 'trt_max_partition_iterations', 'trt_min_subgraph_size'],
  ...['trt_fp16_enable', 'trt_builder_optimization_level', 'trt_context_memory_sharing_enable'],
  ...['cudnn_conv_algo_search', 'cudnn_conv_use_max_workspace', 'do_copy_in_default_stream', 'use_tf32'],
  ...['arena_extend_strategy', 'gpu_mem_limit', 'num_of_threads'],
  ...['trt_engine_cache_enable', 'trt_engine_cache_path', 'trt_cuda_graph_enable'],
]);

const refusalReasons: ReadonlyMap<string, string> = new Map([
  ['model_repository_agents', 'a repository agent is a library that Triton loads and runs'],
  ['model_operations', 'a library of custom operations is code that Triton would load'],
  ['runtime', 'it names a library that Triton would load as the backend'],
  ['cc_model_filenames', 'it names model files other than the one that this run exports and checks'],
  ['input_data_file', 'Triton would read a file that this run does not write'],
  ['data_file', 'Triton would read a file that this run does not write'],
  ['ensemble_scheduling', 'a run cannot check or measure such a model'],
  ['EXECUTION_ENV_PATH', 'Triton would unpack this archive and execute a script in it'],
]);

const unknownReason = 'it is not on the list of settings that are known not to run code or read files';

function refused(
  path: string,
  name: string,
  why = refusalReasons.get(name) ?? unknownReason,
): WorkbenchError {
  return new WorkbenchError('config-invalid', `${path}: ${why}`, {
    where: `configure.configPatch.${path}`,
    remedy:
      'Remove it from config.pbtxt. To measure a model that needs it, serve it yourself and use: perf --url.',
  });
}

/** Without a folder: Triton opens only files of the model's folder. */
const isFileName = (value: unknown): boolean =>
  typeof value === 'string' && /^[^/\\\0]*$/.test(value) && value !== '..' && value !== '.';

/** Values of known parameters are numbers, switches and names, never paths. */
function checkParameters(path: string, parameters: object, known: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(parameters)) {
    const where = `${path}["${name}"]`;
    if (!known.has(name)) throw refused(where, name);
    const text: unknown =
      typeof value === 'object' ? (value as { stringValue?: unknown }).stringValue : value;
    const isOwnCache = name === 'trt_engine_cache_path' && text === engineCachePath;
    if (text !== undefined && !isFileName(text) && !isOwnCache) {
      throw refused(
        where,
        name,
        'its value is a path, and Triton would use a file that this run does not write',
      );
    }
  }
}

function checkValue(typeName: string, field: string, path: string, value: unknown): void {
  switch (`${typeName}.${field}`) {
    case 'ModelConfig.parameters':
      checkParameters(path, value as object, inertParameters);
      return;
    case 'ModelOptimizationPolicy.ExecutionAccelerators.Accelerator.parameters':
      checkParameters(path, value as object, inertAcceleratorParameters);
      return;
    case 'ModelOptimizationPolicy.ExecutionAccelerators.Accelerator.name':
      if (!inertAccelerators.has(String(value))) throw refused(path, textName(field));
      return;
    case 'ModelWarmup.Input.inputDataFile':
      if (!isWarmUpFile(value)) throw refused(path, textName(field));
      return;
    case 'ModelConfig.defaultModelFilename':
    case 'ModelOutput.labelFilename':
      if (!isFileName(value)) {
        throw refused(path, textName(field), 'it leads out of the model folder');
      }
  }
}

function below(field: protobuf.Field, value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (!(field.resolvedType instanceof protobuf.Type)) return [];
  if (field.map) {
    return Object.entries(value as object).map(([key, item]) => [`${path}["${key}"]`, item] as const);
  }
  if (!field.repeated) return [[path, value]];
  return (value as readonly unknown[]).map((item, index) => [`${path}[${index}]`, item] as const);
}

function walk(type: protobuf.Type, message: Readonly<Record<string, unknown>>, path: string): void {
  const typeName = type.fullName.replace(/^\.inference\./, '');
  for (const [name, value] of Object.entries(message)) {
    // proto3 does not distinguish empty text from none.
    if (value === '') continue;
    const where = `${path}${textName(name)}`;
    const field = type.fields[name]?.resolve();
    if (field === undefined || inertFields[typeName]?.includes(name) !== true) {
      throw refused(where, textName(name));
    }
    checkValue(typeName, name, where, value);
    const { resolvedType } = field;
    if (!(resolvedType instanceof protobuf.Type)) continue;
    for (const [innerPath, inner] of below(field, value, where)) {
      walk(resolvedType, inner as Readonly<Record<string, unknown>>, `${innerPath}.`);
    }
  }
}

/** Throws config-invalid naming the first field that may make Triton load or run something, or is unreviewed. */
export function requireInertConfig(config: object, type = modelConfigType): void {
  walk(type, plainMessage(type, config, { unknown: 'reject' }), '');
}

const empty: ModelConfig = { name: '', maxBatchSize: 0, input: [], output: [] };

/** Checks an edit by itself, before there is a configuration. Throws config-invalid. */
export function requireInertPatch({ configPatch }: Pick<ConfigureSpec, 'configPatch'>): void {
  requireInertConfig(applyConfigPatch(empty, configPatch));
}
