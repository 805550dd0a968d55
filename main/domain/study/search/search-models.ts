import { fieldAt } from '../../../contract/fields/fields';
import { formatFacts } from '../../../contract/run/model-formats';
import type { Format, Precision, RunSpec } from '../../../contract/run/run-spec';
import type { Candidate, SearchedFormat, SearchSpace, SearchStrategy } from '../../../contract/study/search';
import { sameValue } from '../../../contract/trees';

/** What a run makes. */
export const modelOf = ({
  format,
  precision,
  configure: { backendAccelerator },
}: Pick<RunSpec, 'format' | 'precision' | 'configure'>): SearchedFormat => ({
  format,
  precision,
  backendAccelerator,
});

/** "ONNX FP16", "ONNX FP32, accelerator TensorRT". */
export function modelText({ format, precision, backendAccelerator: by }: SearchedFormat): string {
  const { label, choices = {} } = fieldAt('configure.backendAccelerator');
  const accelerated = by === 'none' ? '' : `, ${label.toLowerCase()} ${choices[by] ?? by}`;
  return `${formatFacts[format].title} ${precision.toUpperCase()}${accelerated}`;
}

/** The accelerator null: what the preset takes for the format. */
export interface WantedModel extends Omit<SearchedFormat, 'backendAccelerator'> {
  readonly backendAccelerator: SearchedFormat['backendAccelerator'] | null;
}

export interface UsualModels {
  /** The model runs on GPUs. */
  readonly onGpu: boolean;
  /** Those of the preset. */
  readonly precisions: readonly Precision[];
}

/**
 * Each asked format with each precision and accelerator. Where no option names them, those of the run; on GPUs also its
 * other precisions, which take a conversion and a check and often half of the time. Pure.
 */
export function wantedModels(
  present: SearchedFormat,
  { format, precision, backendAccelerator }: SearchSpace,
  { onGpu, precisions }: UsualModels,
): readonly WantedModel[] {
  const usualPrecisions = (of: Format): readonly Precision[] => {
    if (formatFacts[of].fp32Only !== undefined) return ['fp32'];
    const isUsual = onGpu && format === undefined;
    return isUsual ? [...new Set([present.precision, ...precisions])] : [present.precision];
  };
  const usual = (of: Format) => [of === present.format ? present.backendAccelerator : null];
  return (format ?? [present.format]).flatMap((one) =>
    (precision ?? usualPrecisions(one)).flatMap((of) =>
      (backendAccelerator ?? usual(one)).map((by) => ({
        format: one,
        precision: of,
        backendAccelerator: by,
      })),
    ),
  );
}

const madeFrom = ({ format, precision, backendAccelerator }: Candidate): Partial<SearchedFormat> => ({
  ...(format === undefined ? {} : { format }),
  ...(precision === undefined ? {} : { precision }),
  ...(backendAccelerator === undefined ? {} : { backendAccelerator }),
});

/** What the candidates are configurations of, in their order: the first is the run's. Pure. */
export function modelsOf({ candidates }: { readonly candidates: readonly Candidate[] }) {
  return candidates
    .map(madeFrom)
    .filter((one, at, all) => all.findIndex((other) => sameValue(one, other)) === at);
}

/** Place of a candidate's model among {@link modelsOf}. @param number of the candidate, from 1 */
export function modelNumberOf(search: Pick<SearchStrategy, 'candidates'>, number: number): number {
  const candidate = search.candidates[number - 1];
  if (candidate === undefined) throw new Error(`No candidate ${number}`);
  const own = madeFrom(candidate);
  return modelsOf(search).findIndex((one) => sameValue(one, own));
}
