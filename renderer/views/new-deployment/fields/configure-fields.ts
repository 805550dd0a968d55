import { fieldAt } from '../../../../main/contract/fields/fields';
import type { Accelerator } from '../../../../main/contract/run/run-spec';
import type { Control, Field, FieldContext, Section } from './field';
import { formField } from './form-field';
import { whyNotAccelerator, whyNotDynamic, whyNotGpuInstances, whyNotGraphs, whyNotQueue } from './why-not';

const acceleratorNote: Readonly<Record<Accelerator, string>> = {
  none: 'The backend without changes.',
  cuda: 'The backend’s own kernels on the GPU.',
  trt: 'Compiles the graph for the GPU when the model is loaded, which takes minutes.',
  amp: 'TensorFlow casts to FP16 where this is safe.',
};

/** Choices of a field, each with why it cannot be chosen here. */
function choicesOf(
  path: string,
  why: (value: string) => string | undefined,
  note?: Readonly<Record<string, string>>,
): Control {
  return {
    kind: 'choice',
    cards: note === undefined ? false : 'grid',
    options: Object.entries(fieldAt(path).choices ?? {}).map(([value, label]) => ({
      ...{ value, label, why: why(value) },
      ...(note?.[value] === undefined ? {} : { note: note[value] }),
    })),
  };
}

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
          control: choicesOf('configure.batching', (value) =>
            value === 'dynamic' ? whyNotDynamic(context) : undefined,
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
          control: choicesOf('configure.instanceKind', (value) =>
            value === 'KIND_GPU' ? whyNotGpuInstances(context) : undefined,
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
          control: choicesOf(
            'configure.backendAccelerator',
            (value) => whyNotAccelerator(value as Accelerator, context),
            acceleratorNote,
          ),
        }),
        field('captureCudaGraph', { ...wide, topic: 'cuda-graphs', idle: whyNotGraphs(context) }),
      ],
    },
    { title: 'Name and version', fields: [field('modelName'), field('modelVersion')] },
  ];
}
