import type { Accelerator } from '../../../../main/contract/run/run-spec';
import type { Field, FieldContext, Section } from './field';
import { choiceOf, formField } from './form-field';
import { whyNotAccelerator, whyNotDynamic, whyNotGpuInstances, whyNotGraphs, whyNotQueue } from './why-not';

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
  const queueIdle = whyNotQueue(context);
  const wide = { wide: true } as const;
  return [
    {
      title: 'Batching',
      fields: [
        field('maxBatchSize'),
        field('batching', {
          ...wide,
          topic: 'dynamic-batching',
          control: choiceOf('configure.batching', false, (value) =>
            value === 'dynamic' ? { why: whyNotDynamic(context) } : {},
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
          control: choiceOf('configure.instanceKind', false, (value) =>
            value === 'KIND_GPU' ? { why: whyNotGpuInstances(context) } : {},
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
          control: choiceOf('configure.backendAccelerator', 'grid', (value: Accelerator) => ({
            note: acceleratorNote[value],
            why: whyNotAccelerator(value, context),
          })),
        }),
        field('captureCudaGraph', { ...wide, topic: 'cuda-graphs', idle: whyNotGraphs(context) }),
      ],
    },
    { title: 'Name and version', fields: [field('modelName'), field('modelVersion')] },
  ];
}
