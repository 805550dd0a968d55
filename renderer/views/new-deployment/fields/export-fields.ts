import type { Format, Precision } from '../../../../main/contract/run-spec';
import { defaultWorkspaceBytes, formats, precisions } from '../../../../main/contract/run-spec';
import { formatText, precisionText } from '../../../format/words';
import { bytesText } from '../read-text';
import type { FieldContext, Section } from './field';
import { servesOnCpu, whyNotFormat, whyNotPrecision } from './why-not';

const formatNote: Readonly<Record<Format, string>> = {
  onnx: 'An open graph format. Runs on ONNX Runtime, and through it on TensorRT.',
  'ts-trace': 'The operations of one example run, recorded. Branches on data are lost.',
  'ts-script': 'The model’s own code, compiled. Branches and loops are kept.',
  'tf-savedmodel': 'TensorFlow’s own folder of graph and weights. Releases up to 25.02 serve it on GPUs.',
  trt: 'Built from ONNX by TensorRT for one kind of GPU, and served there alone.',
};

const precisionNote = (precision: Precision, context: FieldContext): string => {
  if (precision === 'fp32') return 'Four bytes a value, as trained.';
  return servesOnCpu(context)
    ? 'Two bytes a value. On a CPU this is for checking, not for speed.'
    : 'Two bytes a value: half the memory, and tensor cores on GPUs that have them.';
};

const notOffered = (title: string, offered: boolean): { why?: string } =>
  offered ? {} : { why: `${title} is not offered in it.` };

const whyNot = (why: string | undefined): { why?: string } => (why === undefined ? {} : { why });

/** The file that is served. */
export function exportSections(context: FieldContext): readonly Section[] {
  const { preset } = context;
  const onnx = context.value('format') === 'onnx' || context.value('format') === 'trt';
  return [
    {
      title: 'The file that is served',
      fields: [
        {
          keys: ['format'],
          label: 'Format',
          term: 'model-format',
          variable: 'FORMAT',
          help: 'What the model is exported to and what Triton loads.',
          wide: true,
          control: {
            kind: 'choice',
            cards: true,
            options: formats.map((value) => ({
              value,
              label: formatText[value],
              note: formatNote[value],
              why: whyNotFormat(value, context),
              ...notOffered(preset.title, preset.formats.includes(value)),
            })),
          },
        },
        {
          keys: ['precision'],
          label: 'Precision',
          term: 'precision',
          variable: 'PRECISION',
          help: 'Number format of weights and activations, and of the floating-point inputs and outputs.',
          wide: true,
          control: {
            kind: 'choice',
            cards: true,
            options: precisions.map((value) => ({
              value,
              label: precisionText[value],
              note: precisionNote(value, context),
              ...whyNot(whyNotPrecision(value, context)),
              ...notOffered(preset.title, preset.precisions.includes(value)),
            })),
          },
        },
        {
          keys: ['onnxOpset'],
          label: 'ONNX opset',
          term: 'onnx-opset',
          variable: 'ONNX_OPSET',
          help: 'Version of the ONNX operators, 9 to 25.',
          control: { kind: 'integer', min: 9 },
          idle: onnx ? undefined : 'Applies only to ONNX and to plans built from it.',
        },
        {
          keys: ['tensorrt', 'maxWorkspaceBytes'],
          label: 'TensorRT workspace',
          term: 'max-workspace-size',
          variable: 'MAX_WORKSPACE_SIZE',
          help: `Scratch memory of a layer while the plan is built and when it runs. Default: ${bytesText(defaultWorkspaceBytes)}.`,
          control: {
            kind: 'integer',
            min: 1,
            unit: 'bytes',
            suffix: ' B',
            placeholder: bytesText(defaultWorkspaceBytes),
          },
          idle: context.value('format') === 'trt' ? undefined : 'Applies only to TensorRT plans.',
        },
      ],
    },
  ];
}
