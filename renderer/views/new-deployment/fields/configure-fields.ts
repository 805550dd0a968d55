import type { Accelerator } from '../../../../main/contract/run/run-spec';
import type { Field, FieldContext, Section } from './field';
import { choiceOf, formField } from './form-field';
import { whyNotAccelerator, whyNotGpuInstances } from './why-not';

const acceleratorNote: Readonly<Record<Accelerator, string>> = {
  none: 'The backend without changes.',
  cuda: 'The backend’s own kernels on the GPU.',
  trt: 'Compiles the graph for the GPU when the model is loaded, which takes minutes.',
  amp: 'TensorFlow casts to FP16 where this is safe.',
};

/** The fields of config.pbtxt. */
export function configureSections(context: FieldContext): readonly Section[] {
  const field = (name: string, own: Partial<Omit<Field, 'keys'>> = {}) =>
    formField(`configure.${name}`, context, own);
  const { value } = context;
  const isDynamic = value('configure', 'batching') === 'dynamic';
  const queueIdle = isDynamic ? undefined : 'Applies only with dynamic batching.';
  const hasNoBatch = value('configure', 'maxBatchSize') === 0;
  const hasGraphs = value('configure', 'backendAccelerator') === 'trt' || value('format') === 'trt';
  const wide = { wide: true } as const;
  return [
    {
      title: 'Batching',
      fields: [
        field('maxBatchSize'),
        field('batching', {
          ...wide,
          topic: 'dynamic-batching',
          control: choiceOf('configure.batching', false, (batching) =>
            batching === 'dynamic' && hasNoBatch ? { why: 'Needs a largest batch of at least 1.' } : {},
          ),
        }),
        field('preferredBatchSizes', { topic: 'preferred-sizes', idle: queueIdle }),
        field('maxQueueDelayUs', { topic: 'queue-delay', idle: queueIdle }),
      ],
    },
    {
      title: 'Instances',
      fields: [
        field('instances', { topic: 'instances' }),
        field('threads'),
        field('instanceKind', {
          ...wide,
          control: choiceOf('configure.instanceKind', false, (kind) =>
            kind === 'KIND_GPU' ? { why: whyNotGpuInstances(context) } : {},
          ),
        }),
      ],
    },
    {
      title: 'Acceleration',
      fields: [
        field('backendAccelerator', {
          ...wide,
          topic: 'accelerators',
          control: choiceOf('configure.backendAccelerator', 'grid', (accelerator: Accelerator) => ({
            note: acceleratorNote[accelerator],
            why: whyNotAccelerator(accelerator, context),
          })),
        }),
        field('captureCudaGraph', {
          ...wide,
          topic: 'cuda-graphs',
          idle: hasGraphs ? undefined : 'Only TensorRT captures CUDA graphs.',
        }),
      ],
    },
    { title: 'Name and version', fields: [field('modelName'), field('modelVersion')] },
  ];
}
