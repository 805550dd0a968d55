import { fieldAt } from '../../../contract/fields/fields';
import { formatTyped } from '../../../contract/numbers';
import type { ConfigureSpec } from '../../../contract/run/run-spec';
import { type Candidate, candidateFields, type SearchSpace } from '../../../contract/study/search';
import { sameValue } from '../../../contract/trees';

/** What the values to try depend on. */
export interface SearchMachine {
  /** The model runs on GPUs. */
  readonly onGpu: boolean;
  /** Of the machine that serves. */
  readonly processors: number;
  readonly targetUs: number;
}

/** More than that no search compares. */
export const mostCandidates = 200;

type WholeSpace = { readonly [Field in keyof Candidate]: readonly Candidate[Field][] };

const pick = ({
  instances,
  maxBatchSize,
  batching,
  preferredBatchSizes,
  maxQueueDelayUs,
  threads,
}: ConfigureSpec): Candidate => ({
  ...{ instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads },
});

/** Without what has no effect: two candidates that differ in nothing else are one. */
function effective(candidate: Candidate): Candidate {
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
function usualSpace(present: Candidate, { onGpu, processors, targetUs }: SearchMachine): WholeSpace {
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

const combined = (space: WholeSpace): readonly Candidate[] =>
  candidateFields.reduce<readonly Partial<Candidate>[]>(
    (all, field) => all.flatMap((one) => space[field].map((value) => ({ ...one, [field]: value }))),
    [{}],
  ) as readonly Candidate[];

/** Without a batch dimension there is nothing to join. */
const isPossible = ({ batching, maxBatchSize }: Candidate): boolean =>
  batching !== 'dynamic' || maxBatchSize > 0;

const asked = (space: SearchSpace): Partial<WholeSpace> =>
  Object.fromEntries(Object.entries(space).filter(([, values]) => values !== undefined));

/** The configurations to compare, the present one first, each once. Pure. */
export function candidatesOf(
  configure: ConfigureSpec,
  space: SearchSpace,
  machine: SearchMachine,
): readonly Candidate[] {
  const present = effective(pick(configure));
  const all = combined({ ...usualSpace(present, machine), ...asked(space) })
    .filter(isPossible)
    .map(effective);
  return [present, ...all].filter((one, at, list) => list.findIndex((other) => sameValue(other, one)) === at);
}

const valueText = (field: keyof Candidate, candidate: Candidate): string => {
  const row = fieldAt(`configure.${field}`);
  const value = candidate[field];
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
    .map((field) => `${fieldAt(`configure.${field}`).label.toLowerCase()} ${valueText(field, candidate)}`)
    .join(', ');
}

/** Its values of the fields in which any of the candidates differ. Pure. */
export function candidateAxes(candidates: readonly Candidate[], candidate: Candidate) {
  const varied = candidateFields.filter((field) =>
    candidates.some((one) => !sameValue(one[field], candidates[0]?.[field])),
  );
  return varied.map((field) => ({ field: `configure.${field}`, value: valueText(field, candidate) }));
}
