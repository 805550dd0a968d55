const own = 'a run has its own folders';
const derived = null;
const image = 'choose the engine "docker" and its release or image';

/**
 * Variables of the published procedures that no field stands for, each with the reason; null where it only repeats
 * another one. Source: the environment files and runner configurations of the five deployments.
 */
export const upstreamNotes: Readonly<Record<string, string | null>> = {
  WORKDIR: own,
  WORKSPACE_DIR: own,
  SHARED_DIR: own,
  MODEL_REPOSITORY_PATH: own,
  CHECKPOINTS_DIR: 'set the weights file (model.checkpoint)',
  CHECKPOINT_DIR: 'set the weights file (model.checkpoint)',
  CHECKPOINT_VARIANT: 'set the weights file (model.checkpoint)',
  CHECKPOINTS: 'set the weights file (model.checkpoint)',
  DATASET: 'set the absolute path of the data set (model.dataset)',
  DATASETS: 'set the absolute path of the data set (model.dataset)',
  EXPORT_FORMAT: derived,
  EXPORT_PRECISION: derived,
  FORMAT_SUFFIX: derived,
  CONFIG_FORMAT: derived,
  TORCH_JIT: 'the formats ts-trace and ts-script say it',
  SEQUENCE_LENGTH: "the preset's own arguments say the size of its inputs",
  TRITON_INSTANCES: 'a run has one Triton',
  TRITON_LOAD_MODEL_METHOD: 'models are always loaded explicitly',
  TRITON_SERVER_URL: 'for a running Triton, choose the engine "remote" and set its address',
  FRAMEWORK: derived,
  ENSEMBLE_MODEL_NAME: 'a run serves one model',
  CONTAINER_VERSION: image,
  TRITON_CONTAINER_IMAGE: image,
  TRITON_DOCKERFILE: image,
  TRITON_CUSTOM_OPERATIONS: 'custom operations are not loaded',
  NVIDIA_VISIBLE_DEVICES: 'choose the engine "docker" and its GPUs',
  MEASUREMENT_STEPS_OFFLINE: 'set the batch sizes (performance.batchSizes)',
  MEASUREMENT_STEPS_ONLINE: 'set the concurrencies (performance.concurrency)',
};

/** Values of these variables that ask for nothing else than what is done here anyway. */
export const usualValues: Readonly<Record<string, readonly string[]>> = {
  TRITON_INSTANCES: ['1'],
  TRITON_LOAD_MODEL_METHOD: ['explicit'],
  TORCH_JIT: ['none'],
};
