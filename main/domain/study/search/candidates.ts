import { fieldAt } from '../../../contract/fields/fields';
import { formatTyped } from '../../../contract/numbers';
import type { ConfigureSpec } from '../../../contract/run/run-spec';
import {
  type Candidate,
  candidateFields,
  type Configured,
  modelFields,
  type SearchedFormat,
  type SearchSpace,
} from '../../../contract/study/search';
import { sameValue } from '../../../contract/trees';

/** What the values to try depend on. */
export interface SearchMachine {
  /** The model runs on GPUs. */
  readonly onGpu: boolean;
  /** Of the machine that serves. */
  readonly processors: number;
  readonly targetUs: number;
  /** The configuration has a place for the fields; absent: it has for all. */
  readonly isServable?: ((fields: Configured) => boolean) | undefined;
}

/** More than that no search compares. */
export const mostCandidates = 200;

interface Varied<Value> {
  /** That of the run. */
  readonly present: Value;
  readonly tried: readonly Value[];
}

/** What a candidate may differ in beside the fields of `configure`. */
export interface BesideConfigure {
  readonly model: Varied<SearchedFormat>;
  readonly batchSize: Varied<number>;
  /** Of any request, where all candidates are sent the same ones; absent: 1. */
  readonly largestBatchSize?: number | undefined;
}

type WholeSpace = { readonly [Field in keyof Configured]: readonly Configured[Field][] };

/** Its fields of `configure`. */
export const configuredOf = ({
  instances,
  maxBatchSize,
  batching,
  preferredBatchSizes,
  maxQueueDelayUs,
  threads,
}: Configured): Configured => ({
  ...{ instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads },
});

/** Without what has no effect: two candidates that differ in nothing else are one. */
function effective<Found extends Configured>(candidate: Found): Found {
  const { batching, preferredBatchSizes, maxBatchSize } = candidate;
  return batching === 'dynamic'
    ? { ...candidate, preferredBatchSizes: preferredBatchSizes.filter((size) => size <= maxBatchSize) }
    : { ...candidate, preferredBatchSizes: [], maxQueueDelayUs: 0 };
}

/** Steps up from 1, with the present value. */
const doubling = (most: number): number[] => {
  const values: number[] = [];
  for (let value = 1; value <= most; value *= 2) values.push(value);
  return values;
};

/** A wait for others costs latency at once; a twentieth of the target is little of it. */
const delayShare = 1 / 20;
const longestDelayUs = 10_000;
const twoDigits = (value: number): number => Number(value.toPrecision(2));
const mostGpuInstances = 4;

/** The values that are tried where nobody says which. */
function usualSpace(present: Configured, { onGpu, processors, targetUs }: SearchMachine): WholeSpace {
  const isBatched = present.batching !== 'disabled' && present.maxBatchSize > 1;
  return {
    instances: doubling(onGpu ? mostGpuInstances : Math.max(2, processors)),
    maxBatchSize: [present.maxBatchSize],
    batching: isBatched ? ['dynamic', 'static'] : [present.batching],
    preferredBatchSizes: [present.preferredBatchSizes],
    maxQueueDelayUs: [0, Math.min(longestDelayUs, twoDigits(delayShare * targetUs))],
    threads: onGpu ? [present.threads] : [present.threads, 1],
  };
}

const configured: readonly (keyof Configured)[] = candidateFields.filter(
  (field): field is keyof Configured =>
    field !== 'batchSize' && !modelFields.some((other) => other === field),
);

const combined = (space: WholeSpace): readonly Configured[] =>
  configured.reduce<readonly Partial<Configured>[]>(
    (all, field) => all.flatMap((one) => space[field].map((value) => ({ ...one, [field]: value }))),
    [{}],
  ) as readonly Configured[];

/** Without a batch dimension there is nothing to join, and a request has no more than the largest batch. */
const isPossible = ({ batching, maxBatchSize, batchSize }: Candidate, largestBatchSize = 1): boolean =>
  (batching !== 'dynamic' || maxBatchSize > 0) &&
  (batchSize ?? largestBatchSize) <= (batching === 'disabled' ? 1 : Math.max(1, maxBatchSize));

const asked = (space: SearchSpace): Partial<WholeSpace> =>
  Object.fromEntries(
    configured.map((field) => [field, space[field]] as const).filter(([, values]) => values),
  );

const differs = <Value>({ present, tried }: Varied<Value>): boolean =>
  tried.some((one) => !sameValue(one, present));

/** That of the run first, then those to try; what all have in common is left out. */
function beside({
  model,
  batchSize,
}: Pick<BesideConfigure, 'model' | 'batchSize'>): readonly Partial<Candidate>[] {
  const choice = (of: SearchedFormat, size: number): Partial<Candidate> => ({
    ...(differs(model) ? of : {}),
    ...(differs(batchSize) ? { batchSize: size } : {}),
  });
  const tried = model.tried.flatMap((of) => batchSize.tried.map((size) => choice(of, size)));
  return [choice(model.present, batchSize.present), ...tried];
}

const onnx: SearchedFormat = { format: 'onnx', precision: 'fp32', backendAccelerator: 'none' };
const justOne: BesideConfigure = {
  model: { present: onnx, tried: [onnx] },
  batchSize: { present: 1, tried: [1] },
};

/** The configurations to compare, the present one first, each once. Pure. */
export function candidatesOf(
  configure: ConfigureSpec,
  space: SearchSpace,
  machine: SearchMachine,
  others: BesideConfigure = justOne,
): readonly Candidate[] {
  const present = effective(configuredOf(configure));
  const all = combined({ ...usualSpace(present, machine), ...asked(space) }).map(effective);
  const [own = {}, ...tried] = beside(others);
  const found = tried.flatMap((choice) => [present, ...all].map((one) => ({ ...choice, ...one })));
  const { isServable = () => true } = machine;
  const isSendable = (one: Candidate): boolean =>
    isPossible(one, others.largestBatchSize) && isServable(configuredOf(one));
  return [{ ...own, ...present }, ...found.filter(isSendable)].filter(
    (one, at, list) => list.findIndex((other) => sameValue(other, one)) === at,
  );
}

/** Its path in the specification of a run. */
export function fieldPath(field: keyof Candidate): string {
  if (field === 'batchSize') return 'performance.onlineBatchSize';
  return field === 'format' || field === 'precision' ? field : `configure.${field}`;
}

const valueText = (field: keyof Candidate, candidate: Candidate): string => {
  const row = fieldAt(fieldPath(field));
  const value = candidate[field];
  if (value === undefined) return '';
  if (typeof value === 'string') return row.choices?.[value] ?? value;
  if (typeof value === 'object') return value.length === 0 ? (row.absent ?? 'none') : value.join(', ');
  if (value === 0 && row.zero !== undefined) return row.zero;
  return row.unit === undefined ? formatTyped(value) : `${formatTyped(value)} ${row.unit}`;
};

const ofDynamicBatching: ReadonlySet<keyof Candidate> = new Set(['preferredBatchSizes', 'maxQueueDelayUs']);

/** The fields in which the other one differs, where they have an effect. Pure. */
export const changedFields = (one: Candidate, other: Candidate): readonly (keyof Candidate)[] =>
  candidateFields.filter(
    (field) =>
      !sameValue(one[field], other[field]) && (other.batching === 'dynamic' || !ofDynamicBatching.has(field)),
  );

/** "model instances 2, maximum queue delay 500 µs": what it does otherwise than the present one. Pure. */
export function candidateText(present: Candidate, candidate: Candidate): string {
  const changed = changedFields(present, candidate);
  if (changed.length === 0) return 'present configuration';
  return changed
    .map((field) => `${fieldAt(fieldPath(field)).label.toLowerCase()} ${valueText(field, candidate)}`)
    .join(', ');
}

const isVaried = (candidates: readonly Candidate[], field: keyof Candidate): boolean =>
  candidates.some((one) => !sameValue(one[field], candidates[0]?.[field]));

/** "maximum batch size 8": each field that all candidates have alike, by its name alone where it is that of the run. Pure. */
export function fixedTexts(candidates: readonly Candidate[]): readonly string[] {
  const [present] = candidates;
  if (present === undefined) return [];
  return candidateFields
    .filter((field) => !isVaried(candidates, field))
    .map((field) =>
      `${fieldAt(fieldPath(field)).label.toLowerCase()} ${valueText(field, present)}`.trimEnd(),
    );
}

/** Its values of the fields in which any of the candidates differ. Pure. */
export function candidateAxes(candidates: readonly Candidate[], candidate: Candidate) {
  const varied = candidateFields.filter((field) => isVaried(candidates, field));
  return varied.map((field) => ({ field: fieldPath(field), value: valueText(field, candidate) }));
}
