import { stringify } from 'yaml';

/**
 * The block "Export Variables" of the published deployment of the Temporal Fusion Transformer, as a page gives it away
 * when it is copied as text: with blanks beside quotes and braces.
 */
export const forecastVariables = `WORKDIR=" \${WORKDIR:= $(pwd)} "
export DATASETS_DIR=\${WORKDIR} /datasets
export WORKSPACE_DIR=\${WORKDIR} /runner_workspace
export CHECKPOINTS_DIR=\${WORKSPACE_DIR} /checkpoints
export MODEL_REPOSITORY_PATH=\${WORKSPACE_DIR} /model_store
export SHARED_DIR=\${WORKSPACE_DIR} /shared_dir
export MODEL_NAME=TFT
export ENSEMBLE_MODEL_NAME=
export TRITON_LOAD_MODEL_METHOD=explicit
export TRITON_INSTANCES=1
export FORMAT=" trt"
export PRECISION=" fp16"
export ACCELERATOR=" none"
export TRITON_GPU_ENGINE_COUNT=" 2"
export CAPTURE_CUDA_GRAPH=" 0"
export BATCH_SIZE=" 1,2,4,8,16,32,64,128,256,512,1024"
export TRITON_MAX_QUEUE_DELAY=" 1"
export MAX_BATCH_SIZE=" 1024"
export BATCH_SIZES=" 1 2 4 8 16 32 64 128 256 512 1024"
export TRITON_PREFERRED_BATCH_SIZES=" 512 1024"
export EXPORT_FORMAT=" onnx"
export EXPORT_PRECISION=" fp32"
export DATASET=" electricity_bin"
export DEVICE=" gpu"
export REQUEST_COUNT=" 500"
export CHECKPOINT_VARIANT=" electricity_bin"
export CHECKPOINT_DIR=\${CHECKPOINTS_DIR} /\${CHECKPOINT_VARIANT}
if [[ " \${EXPORT_FORMAT} " == " ts-trace" || " \${EXPORT_FORMAT} " == " ts-script" ]]; then
export FORMAT_SUFFIX=" pt"
else
export FORMAT_SUFFIX=" \${EXPORT_FORMAT} "
fi
`;

/** "Example values of some key variables in one configuration" of the published FastPitch deployment. */
export const speechVariables = `PRECISION="fp16"
FORMAT="ts-trace"
BATCH_SIZE="1, 2, 4, 8"
BACKEND_ACCELERATOR="cuda"
MAX_BATCH_SIZE="8"
NUMBER_OF_MODEL_INSTANCES="2"
TRITON_MAX_QUEUE_DELAY="1"
TRITON_PREFERRED_BATCH_SIZES="4 8"
SEQUENCE_LENGTH="128"
`;

/** The same of the published nnU-Net deployment. */
export const segmentationVariables = `PRECISION="fp16"
FORMAT="ts-script"
BATCH_SIZE="1, 2, 4"
BACKEND_ACCELERATOR="cuda"
MAX_BATCH_SIZE="4"
NUMBER_OF_MODEL_INSTANCES="1"
TRITON_MAX_QUEUE_DELAY="1"
TRITON_PREFERRED_BATCH_SIZES="2 4"
`;

const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const forecast = (format: string, variant = 'electricity_bin') => ({
  accelerator: 'none',
  batch_size: sizes,
  batch_sizes: sizes.join(' '),
  capture_cuda_graph: 0,
  checkpoint_variant: variant,
  dataset: variant,
  device: 'gpu',
  export_format: format === 'trt' ? 'onnx' : format,
  export_precision: 'fp32',
  format,
  max_batch_size: 1024,
  precision: 'fp16',
  request_count: 500,
  triton_gpu_engine_count: 2,
  triton_max_queue_delay: 1,
  triton_preferred_batch_sizes: '512 1024',
});

/** The whole of it: its four configurations, the same for A30, V100, A100 and T4; `other` keys win. */
export const forecastMatrix = (other: object = {}) =>
  stringify({
    checkpoints: ['electricity', 'traffic'].map((name) => ({
      name: `${name}_bin`,
      url: `https://api.ngc.nvidia.com/v2/models/nvidia/dle/tft_base_pyt_ckpt_ds-${name}/versions/22.11.0_amp/zip`,
    })),
    configurations: ['trt', 'ts-trace'].flatMap((format) =>
      ['electricity_bin', 'traffic_bin'].map((variant) => forecast(format, variant)),
    ),
    container_version: '22.11',
    datasets: [{ name: 'electricity_bin' }, { name: 'traffic_bin' }],
    datasets_dir: 'datasets',
    framework: 'PyTorch',
    model_name: 'TFT',
    triton_container_image: null,
    triton_custom_operations: null,
    triton_dockerfile: null,
    triton_load_model_method: 'explicit',
    ...other,
  });

/** Keys and values of the runner configuration for one A30 of the Temporal Fusion Transformer's deployment. */
export const forecastRunner = (first: string) =>
  stringify({
    checkpoints: [{ name: 'electricity_bin', url: 'https://api.ngc.nvidia.com/' }],
    configurations: [forecast(first), forecast('ts-trace')],
    container_version: '22.11',
    datasets: [{ name: 'electricity_bin' }],
    datasets_dir: 'datasets',
    framework: 'PyTorch',
    model_name: 'TFT',
    triton_container_image: null,
    triton_custom_operations: null,
    triton_dockerfile: null,
    triton_load_model_method: 'explicit',
  });

const recommendation = (parameters: object) => ({
  checkpoint: 'widedeep_tf2_amp_base_128k_nvtabular',
  parameters: {
    checkpoint: 'widedeep_tf2_amp_base_128k_nvtabular',
    device_kind: 'gpu',
    export_format: 'tf-savedmodel',
    max_batch_size: 131072,
    number_of_model_instances: 2,
    torch_jit: 'none',
    ...parameters,
  },
});

/** The same of the Wide & Deep deployment, whose parameters stand one level below. */
export const recommendationRunner = stringify({
  batching: 'dynamic',
  checkpoints: [{ name: 'widedeep_tf2_amp_base_128k_nvtabular', url: '' }],
  configurations: [
    recommendation({
      backend_accelerator: 'amp',
      export_precision: 'fp32',
      format: 'tf-savedmodel',
      precision: 'fp32',
      tensorrt_capture_cuda_graph: 0,
    }),
    recommendation({
      backend_accelerator: 'none',
      export_precision: 'fp16',
      format: 'trt',
      precision: 'fp16',
      tensorrt_capture_cuda_graph: 1,
    }),
  ],
  container_version: '22.02',
  datasets: [{ name: 'outbrain' }],
  datasets_dir: 'datasets',
  ensemble_model_name: null,
  framework: 'TensorFlow2',
  measurement_steps_offline: 8,
  measurement_steps_online: 32,
  model_name: 'WidenDeep',
  performance_tool: 'perf_analyzer',
  triton_container_image: 'nvcr.io/nvidia/tritonserver:22.02-py3',
  triton_custom_operations: null,
  triton_dockerfile: null,
  triton_load_model_method: 'explicit',
});
