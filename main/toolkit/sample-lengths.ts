import type { TensorSignature } from '../contract/run/artefacts';
import type { RunSpec } from '../contract/run/run-spec';
import { lengthsOfDataset, mostSamples, specifiedLengths } from '../domain/run/length-distribution';

/** A row of tokens that the mask covers; the decoder's are as many as the caller has so far. */
const isText = ({ name, datatype, shape }: Pick<TensorSignature, 'name' | 'datatype' | 'shape'>): boolean =>
  datatype === 'INT64' && shape.length === 2 && !name.startsWith('decoder_');

/** How many samples are sent, and of which lengths; none: all of them have one shape. */
export function sampleLengths({ model, performance }: RunSpec) {
  const { lengthDistribution: value } = performance;
  const lengths = value === undefined ? null : specifiedLengths(value);
  if (lengths === null || (lengths !== lengthsOfDataset && 'problem' in lengths)) return null;
  const padded = model.source?.inputs.filter(isText).map(({ name }) => name) ?? [];
  const paddingId = model.source?.huggingFace?.paddingId ?? 0;
  return {
    count: lengths === lengthsOfDataset ? mostSamples : lengths.drawn.length,
    lengths: lengths === lengthsOfDataset ? lengths : lengths.drawn.join(','),
    padding: Object.fromEntries(padded.map((name) => [name, name === 'input_ids' ? paddingId : 0])),
  };
}
