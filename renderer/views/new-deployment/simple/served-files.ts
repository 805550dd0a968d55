import type { Format, Precision } from '../../../../main/contract/run/run-spec';
import { formatText, precisionText } from '../../../format/words';
import type { FieldContext } from '../fields/field';
import { whyNotFormat, whyNotPrecision } from '../fields/why-not';

const fileOf = (format: Format, precision: Precision, context: FieldContext) => {
  const withFormat: FieldContext = {
    ...context,
    value: (...keys) => (keys.join('.') === 'format' ? format : context.value(...keys)),
  };
  return {
    value: `${format} ${precision}`,
    label: `${formatText[format]}, ${precisionText[precision]}`,
    format,
    precision,
    why: whyNotFormat(format, context) ?? whyNotPrecision(precision, withFormat),
  };
};

export function servedFiles(context: FieldContext) {
  const { formats, precisions } = context.preset;
  return formats.flatMap((format) => precisions.map((precision) => fileOf(format, precision, context)));
}

export const notOfferedText = ({ preset }: Pick<FieldContext, 'preset'>): readonly string[] =>
  (preset.notOffered ?? []).map(({ title, reason }) => `Not available: ${title}. ${reason}`);
