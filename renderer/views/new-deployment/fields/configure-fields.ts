import type { Accelerator } from '../../../../main/contract/run-spec';
import { accelerators } from '../../../../main/contract/run-spec';
import type { FieldContext, Section } from './field';
import { whyNotAccelerator, whyNotDynamic, whyNotGpuInstances, whyNotGraphs, whyNotQueue } from './why-not';

const acceleratorText: Readonly<Record<Accelerator, readonly [label: string, note: string]>> = {
  none: ['None', 'The backend as it is.'],
  cuda: ['CUDA', 'The backend’s own kernels on the GPU.'],
  trt: ['TensorRT', 'The graph is compiled for the GPU when the model is loaded, which takes minutes.'],
  amp: ['Mixed precision', 'TensorFlow casts to FP16 where it is safe.'],
};

const instanceKinds = [
  ['KIND_AUTO', 'Automatic'],
  ['KIND_CPU', 'CPU'],
  ['KIND_GPU', 'GPU'],
] as const;

/** The fields of config.pbtxt. */
export function configureSections(context: FieldContext): readonly Section[] {
  const queueIdle = whyNotQueue(context);
  const batchingWhy = whyNotDynamic(context);
  const gpuWhy = whyNotGpuInstances(context);
  return [
    {
      title: 'Batching',
      fields: [
        {
          keys: ['configure', 'maxBatchSize'],
          label: 'Largest batch',
          term: 'max_batch_size',
          variable: 'MAX_BATCH_SIZE',
          help: 'The most items that the model executes at once.',
          control: { kind: 'integer', min: 0 },
        },
        {
          keys: ['configure', 'batching'],
          label: 'Batching',
          term: 'dynamic_batching',
          variable: 'BATCHING',
          topic: 'dynamic-batching',
          help: 'Dynamic: waiting requests are joined. Static: each is executed as it comes.',
          wide: true,
          control: {
            kind: 'choice',
            cards: false,
            options: [
              { value: 'disabled', label: 'Disabled' },
              { value: 'static', label: 'Static' },
              { value: 'dynamic', label: 'Dynamic', why: batchingWhy },
            ],
          },
        },
        {
          keys: ['configure', 'preferredBatchSizes'],
          label: 'Preferred batches',
          term: 'preferred_batch_size',
          variable: 'TRITON_PREFERRED_BATCH_SIZES',
          topic: 'preferred-sizes',
          help: 'Sizes at which a batch is sent at once. Empty: any.',
          control: { kind: 'integers', mayBeEmpty: true },
          idle: queueIdle,
        },
        {
          keys: ['configure', 'maxQueueDelayUs'],
          label: 'Longest wait for a batch',
          term: 'max_queue_delay_microseconds',
          variable: 'TRITON_MAX_QUEUE_DELAY',
          topic: 'queue-delay',
          help: 'How long a request may wait for others.',
          control: { kind: 'integer', min: 0, suffix: ' µs' },
          idle: queueIdle,
        },
      ],
    },
    {
      title: 'Instances',
      fields: [
        {
          keys: ['configure', 'instances'],
          label: 'Instances',
          term: 'instance_group.count',
          variable: 'NUMBER_OF_MODEL_INSTANCES',
          topic: 'instances',
          help: 'Copies of the model that work side by side.',
          control: { kind: 'integer', min: 1 },
        },
        {
          keys: ['configure', 'threads'],
          label: 'Threads of an instance',
          term: 'intra_op_threads',
          help: 'On the CPU; 0: the runtime’s own choice.',
          control: { kind: 'integer', min: 0 },
        },
        {
          keys: ['configure', 'instanceKind'],
          label: 'Device of the instances',
          term: 'instance_group.kind',
          help: 'Automatic: the GPU where Triton sees one.',
          wide: true,
          control: {
            kind: 'choice',
            cards: false,
            options: instanceKinds.map(([value, label]) => ({
              value,
              label,
              ...(value === 'KIND_GPU' ? { why: gpuWhy } : {}),
            })),
          },
        },
      ],
    },
    {
      title: 'Acceleration',
      fields: [
        {
          keys: ['configure', 'backendAccelerator'],
          label: 'Accelerator',
          term: 'execution_accelerators',
          variable: 'BACKEND_ACCELERATOR',
          topic: 'accelerators',
          help: 'What the backend speeds the model up with.',
          wide: true,
          control: {
            kind: 'choice',
            cards: true,
            options: accelerators.map((value) => ({
              value,
              label: acceleratorText[value][0],
              note: acceleratorText[value][1],
              why: whyNotAccelerator(value, context),
            })),
          },
        },
        {
          keys: ['configure', 'captureCudaGraph'],
          label: 'Capture CUDA graphs',
          term: 'optimization.cuda.graphs',
          variable: 'CAPTURE_CUDA_GRAPH',
          topic: 'cuda-graphs',
          help: 'Replays recorded launches in place of single ones.',
          wide: true,
          control: { kind: 'flag' },
          idle: whyNotGraphs(context),
        },
      ],
    },
    {
      title: 'Name and version',
      fields: [
        {
          keys: ['configure', 'modelName'],
          label: 'Model name',
          term: 'name',
          variable: 'MODEL_NAME',
          help: 'Under which Triton serves it.',
          control: { kind: 'text', placeholder: '' },
        },
        {
          keys: ['configure', 'modelVersion'],
          label: 'Version',
          term: 'model-version',
          help: 'Folder name in the model repository.',
          control: { kind: 'integer', min: 1, isName: true },
        },
      ],
    },
  ];
}
