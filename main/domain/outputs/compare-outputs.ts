import type { ComparedOutput, OutputRule, OutputRules } from '../../contract/measured/output-rules';
import { compareDetections } from './compare-detections';
import { compareNumbers } from './compare-numbers';
import { compareRanks } from './compare-ranks';
import { compareTexts } from './compare-texts';
import { type DecodedTensor, incomparable, isTextual, type TensorDifference, typeOf } from './decoded-tensor';
import { ruleFor, ruleText } from './rule-text';

/** Outputs of one request: those that are expected, and those that came. */
export interface ComparedSample {
  readonly id: string;
  readonly expected: readonly DecodedTensor[];
  readonly found: readonly DecodedTensor[];
}

type Numbers = DecodedTensor & { readonly values: ArrayLike<number> };
const isNumbers = (tensor: DecodedTensor): tensor is Numbers => !isTextual(tensor);

/** Types and shapes have to agree, as a client of the model takes them. */
function formProblem(expected: DecodedTensor, found: DecodedTensor): string | null {
  if (expected.datatype !== found.datatype) {
    return `It is ${typeOf(found)} where ${typeOf(expected)} is expected`;
  }
  const same =
    expected.shape.length === found.shape.length &&
    expected.shape.every((size, axis) => size === found.shape[axis]);
  return same
    ? null
    : `It has the shape [${found.shape.join(', ')}] where [${expected.shape.join(', ')}] is expected`;
}

/** Integers beyond 2^53 are texts of their digits. */
const asTexts = (tensor: DecodedTensor): DecodedTensor & { readonly values: readonly string[] } => ({
  ...tensor,
  values: isTextual(tensor) ? tensor.values : Array.from(tensor.values as ArrayLike<number>, String),
});

/** Of the same shape. */
export function compareValues(
  expected: DecodedTensor,
  found: DecodedTensor,
  rule: OutputRule,
): TensorDifference {
  if (rule.by === 'text' || isTextual(expected) || isTextual(found)) {
    if (rule.by === 'ranks') return incomparable('Its values are texts, which have no rank');
    return compareTexts(asTexts(expected), asTexts(found), rule.by === 'text' ? rule.ignore : []);
  }
  if (!isNumbers(expected) || !isNumbers(found)) return incomparable('It has no values');
  if (rule.by === 'ranks') return compareRanks(expected, found, rule);
  const numbers = rule.by === 'numbers' ? rule : { by: 'numbers' as const, atol: 0, rtol: 0 };
  return compareNumbers(expected, found, numbers);
}

/** One output of one sample. */
export function compareOutput(
  name: string,
  { expected, found }: Pick<ComparedSample, 'expected' | 'found'>,
  rule: OutputRule,
): TensorDifference {
  const wanted = expected.find((output) => output.name === name);
  const got = found.find((output) => output.name === name);
  if (got === undefined) return incomparable('It is missing in the answer');
  if (wanted === undefined) return incomparable('No values are expected of it');
  // Their number may differ, which a score that has to be reached decides.
  if (rule.by === 'detections') return compareDetections(name, expected, found, rule);
  const problem = formProblem(wanted, got);
  return problem === null ? compareValues(wanted, got, rule) : incomparable(problem);
}

/** Outputs that belong to the detections of another one: labels, scores and their number. */
const coveredBy = (rules: OutputRules): ReadonlySet<string> =>
  new Set(
    Object.values(rules).flatMap((rule) =>
      rule.by === 'detections'
        ? [rule.labels, rule.scores, rule.count].flatMap((name) => (name === undefined ? [] : [name]))
        : [],
    ),
  );

const largest = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((most, value) => (value === null ? most : Math.max(most ?? 0, value)), null);

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function merged(name: string, rule: OutputRule, samples: readonly ComparedSample[]): ComparedOutput {
  const found = samples.map((sample) => ({ id: sample.id, difference: compareOutput(name, sample, rule) }));
  const failed = found.filter(({ difference }) => difference.reason !== null);
  const sizeOf = ({ difference }: (typeof found)[number]): number => difference.worst?.size ?? -1;
  const worst = (failed.length > 0 ? failed : found).reduce<(typeof found)[number] | null>(
    (most, next) => (most === null || sizeOf(next) > sizeOf(most) ? next : most),
    null,
  );
  const reason = worst?.difference.reason ?? null;
  const several = failed.length > 1 ? ` (${failed.length} of ${samples.length} samples differ)` : '';
  const of = (pick: (difference: TensorDifference) => number) =>
    sumOf(found.map(({ difference }) => pick(difference)));
  const placed = worst?.difference.worst ?? null;
  return {
    output: name,
    rule: ruleText(rule),
    samples: samples.length,
    compared: of(({ compared }) => compared),
    differing: of(({ differing }) => differing),
    maxAbsDiff: largest(found.map(({ difference }) => difference.maxAbsDiff)),
    maxRelDiff: largest(found.map(({ difference }) => difference.maxRelDiff)),
    nanCount: of(({ nanCount }) => nanCount),
    infCount: of(({ infCount }) => infCount),
    worst:
      worst === null || placed === null
        ? null
        : { sample: worst.id, at: [...placed.at], expected: placed.expected, found: placed.found },
    passed: failed.length === 0,
    reason: reason === null ? null : `${name}, sample ${worst?.id ?? ''}: ${reason}${several}`,
  };
}

/** The rule of every output that is compared by itself, by its name. @param expected outputs of each sample */
export function comparedRules(
  expected: readonly (readonly Pick<DecodedTensor, 'name' | 'datatype'>[])[],
  rules: OutputRules = {},
): ReadonlyMap<string, OutputRule> {
  const covered = coveredBy(rules);
  const found = new Map<string, OutputRule>();
  for (const { name, datatype } of expected.flat()) {
    if (!found.has(name) && !covered.has(name)) found.set(name, ruleFor(name, datatype, rules));
  }
  return found;
}

/** Every expected output of some samples, each by its rule; without one by that of its type. */
export function compareOutputs(
  samples: readonly ComparedSample[],
  rules: OutputRules = {},
): ComparedOutput[] {
  const compared = comparedRules(
    samples.map(({ expected }) => expected),
    rules,
  );
  return [...compared].map(([name, rule]) =>
    merged(
      name,
      rule,
      samples.filter(({ expected }) => expected.some((output) => output.name === name)),
    ),
  );
}
