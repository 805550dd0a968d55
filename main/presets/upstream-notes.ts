const own = 'a run has folders of its own';
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
  CHECKPOINTS_DIR: 'give the weights as a file (model.checkpoint)',
  CHECKPOINT_DIR: 'give the weights as a file (model.checkpoint)',
  CHECKPOINT_VARIANT: 'give the weights as a file (model.checkpoint)',
  CHECKPOINTS: 'give the weights as a file (model.checkpoint)',
  DATASET: 'give the data set by its full path (model.dataset)',
  DATASETS: 'give the data set by its full path (model.dataset)',
  EXPORT_FORMAT: derived,
  EXPORT_PRECISION: derived,
  FORMAT_SUFFIX: derived,
  CONFIG_FORMAT: derived,
  TORCH_JIT: 'the formats ts-trace and ts-script say it',
  SEQUENCE_LENGTH: "the preset's own arguments say the size of its inputs",
  TRITON_INSTANCES: 'a run has one Triton',
  TRITON_LOAD_MODEL_METHOD: 'models are always loaded explicitly',
  TRITON_SERVER_URL: 'choose the engine "remote" and its address for a Triton that runs already',
  FRAMEWORK: derived,
  ENSEMBLE_MODEL_NAME: 'a run serves one model',
  CONTAINER_VERSION: image,
  TRITON_CONTAINER_IMAGE: image,
  TRITON_DOCKERFILE: image,
  TRITON_CUSTOM_OPERATIONS: 'custom operations are not loaded',
  NVIDIA_VISIBLE_DEVICES: 'choose the engine "docker" and its GPUs',
  MEASUREMENT_STEPS_OFFLINE: 'name the batch sizes (performance.batchSizes)',
  MEASUREMENT_STEPS_ONLINE: 'name the concurrencies (performance.concurrency)',
};

/** Values of these variables that ask for nothing else than what is done here anyway. */
export const usualValues: Readonly<Record<string, readonly string[]>> = {
  TRITON_INSTANCES: ['1'],
  TRITON_LOAD_MODEL_METHOD: ['explicit'],
  TORCH_JIT: ['none'],
};
