import { bytesText } from '../../../../main/contract/fields/parameter-text';
import { formatFacts } from '../../../../main/contract/run/model-formats';
import type { Preset } from '../../../../main/contract/run/preset';
import {
  type Accelerator,
  defaultWorkspaceBytes,
  type Format,
  type Precision,
} from '../../../../main/contract/run/run-spec';
import type { Control, Field, FieldContext, Section } from './field';
import { choiceOf, formField } from './form-field';
import { servesOnCpu, whyNotAccelerator, whyNotFormat, whyNotGpuInstances, whyNotPrecision } from './why-not';

const precisionNote = (precision: Precision, context: FieldContext): string => {
  if (precision === 'as-is') return 'As stated in the files and in config.pbtxt.';
  if (precision === 'fp32') return 'Four bytes per value, as trained.';
  return servesOnCpu(context)
    ? 'Two bytes per value. On a CPU this does not increase speed.'
    : 'Two bytes per value: half the memory, and tensor cores on GPUs that have them.';
};

const notOffered = (title: string, offered: boolean, reason?: string): { why?: string } =>
  offered ? {} : { why: [`Not available for ${title}.`, reason].filter(Boolean).join(' ') };

/** Of a repository: what is served is not a choice. */
export const isAsIs = ({ formats }: Pick<Preset, 'formats'>): boolean => formats.includes('repository');

export function exportSections(context: FieldContext): readonly Section[] {
  const { preset } = context;
  const workspace = formField('tensorrt.maxWorkspaceBytes', context);
  const asIs = isAsIs(preset);
  return [
    {
      title: 'Served file',
      fields: [
        formField('format', context, {
          wide: true,
          control: choiceOf(
            'format',
            'list',
            (value: Format) => ({
              note: formatFacts[value].note,
              why: whyNotFormat(value, context),
              ...notOffered(
                preset.title,
                preset.formats.includes(value),
                preset.notOffered?.find(({ format }) => format === value)?.reason,
              ),
            }),
            asIs ? preset.formats : undefined,
          ),
        }),
        formField('precision', context, {
          wide: true,
          control: choiceOf(
            'precision',
            'grid',
            (value: Precision) => ({
              note: precisionNote(value, context),
              why: whyNotPrecision(value, context),
              ...notOffered(preset.title, preset.precisions.includes(value)),
            }),
            asIs ? preset.precisions : undefined,
          ),
        }),
        formField('onnxOpset', context),
        {
          ...workspace,
          control: { ...workspace.control, placeholder: bytesText(defaultWorkspaceBytes) } as Control,
        },
      ],
    },
  ];
}

const acceleratorNote: Readonly<Record<Accelerator, string>> = {
  none: 'The backend without changes.',
  cuda: 'The backend’s own kernels on the GPU.',
  trt: 'Compiles the graph for the GPU when the model is loaded, which takes minutes.',
  amp: 'TensorFlow casts to FP16 where this is safe.',
};

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
    {
      title: 'Queue',
      fields: ['maxQueueSize', 'queueTimeoutUs', 'queueTimeoutAction', 'allowTimeoutOverride'].map((name) =>
        field(name),
      ),
    },
    { title: 'Cold start', fields: [field('warmup', wide), field('warmupBatchSizes')] },
    { title: 'Name and version', fields: [field('modelName'), field('modelVersion')] },
  ];
}
