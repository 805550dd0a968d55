import { bytesText } from '../../../../main/contract/fields/parameter-text';
import { formatFacts } from '../../../../main/contract/run/model-formats';
import { defaultWorkspaceBytes, type Format, type Precision } from '../../../../main/contract/run/run-spec';
import type { Control, FieldContext, Section } from './field';
import { choiceOf, formField } from './form-field';
import { servesOnCpu, whyNotFormat, whyNotPrecision } from './why-not';

const precisionNote = (precision: Precision, context: FieldContext): string => {
  if (precision === 'fp32') return 'Four bytes per value, as trained.';
  return servesOnCpu(context)
    ? 'Two bytes per value. On a CPU this does not increase speed.'
    : 'Two bytes per value: half the memory, and tensor cores on GPUs that have them.';
};

const notOffered = (title: string, offered: boolean, reason?: string): { why?: string } =>
  offered ? {} : { why: [`Not available for ${title}.`, reason].filter(Boolean).join(' ') };

/** Served file. */
export function exportSections(context: FieldContext): readonly Section[] {
  const { preset } = context;
  const workspace = formField('tensorrt.maxWorkspaceBytes', context);
  return [
    {
      title: 'Served file',
      fields: [
        formField('format', context, {
          wide: true,
          control: choiceOf('format', 'list', (value: Format) => ({
            note: formatFacts[value].note,
            why: whyNotFormat(value, context),
            ...notOffered(
              preset.title,
              preset.formats.includes(value),
              preset.notOffered?.find(({ format }) => format === value)?.reason,
            ),
          })),
        }),
        formField('precision', context, {
          wide: true,
          control: choiceOf('precision', 'grid', (value: Precision) => ({
            note: precisionNote(value, context),
            why: whyNotPrecision(value, context),
            ...notOffered(preset.title, preset.precisions.includes(value)),
          })),
        }),
        formField('onnxOpset', context),
        {
          ...workspace,
          help: `${workspace.help.slice(0, -1)}. Default: ${bytesText(defaultWorkspaceBytes)}.`,
          control: { ...workspace.control, placeholder: bytesText(defaultWorkspaceBytes) } as Control,
        },
      ],
    },
  ];
}
