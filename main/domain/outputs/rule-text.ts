import {
  type DetectionsRule,
  type NumbersRule,
  type OutputRule,
  type OutputRules,
  outputRuleSchema,
  type TextNormalizer,
  textNormalizers,
} from '../../contract/measured/output-rules';
import { formatMeasured, formatScale, formatShare } from '../../contract/numbers';
import { isFloating } from './decoded-tensor';

/** Another machine, batch or release rounds otherwise: the tolerance of a type, absolute and relative alike. */
const usualTolerance: Readonly<Record<string, number>> = { FP64: 1e-6, FP32: 1e-4, FP16: 1e-2, BF16: 5e-2 };

/** How an output of this type is compared where nobody says otherwise. */
export function usualRule(datatype: string): OutputRule {
  if (datatype === 'BYTES') return { by: 'text', ignore: [] };
  const tolerance = isFloating({ datatype }) ? (usualTolerance[datatype] ?? 0) : 0;
  return { by: 'numbers', atol: tolerance, rtol: tolerance };
}

/** Tolerances by output; `*` is every output without its own, else 0. */
export interface Tolerances {
  readonly atol: Readonly<Record<string, number>>;
  readonly rtol: Readonly<Record<string, number>>;
  readonly maxMismatch?: Readonly<Record<string, number>> | undefined;
}

/** What the tolerances of a run say of one output. */
export function toleranceRule({ atol, rtol, maxMismatch = {} }: Tolerances, name: string): NumbersRule {
  const of = (values: Readonly<Record<string, number>>) => values[name] ?? values['*'] ?? 0;
  const [share, numbers] = [of(maxMismatch), { by: 'numbers' as const, atol: of(atol), rtol: of(rtol) }];
  return share === 0 ? numbers : { ...numbers, maxMismatch: share };
}

/** Absolute and relative alike: under load, batches round otherwise. Half-precision types have 8 to 11 bits. */
const loadTolerance: Readonly<Record<string, number>> = { FP64: 1e-3, FP32: 1e-3, FP16: 1e-2, BF16: 5e-2 };

/** How a response under load is compared with the values that its input file expects. */
export function loadRule(datatype: string): OutputRule {
  const tolerance = loadTolerance[datatype] ?? 0;
  return { by: 'numbers', atol: tolerance, rtol: tolerance, equalNan: true };
}

/** The rule of an output; that of `*` is for outputs without their own, where it is of numbers only for floats. */
export function ruleFor(name: string, datatype: string, rules: OutputRules): OutputRule {
  const all = rules['*'];
  const isForAll = all !== undefined && (all.by !== 'numbers' || isFloating({ datatype }));
  return rules[name] ?? (isForAll ? all : usualRule(datatype));
}

/** The rules of a file with those given beside it: tolerances of `*` replace those of its floats too. */
export function rulesWith(
  own: OutputRules,
  given: OutputRules,
  outputs: readonly { readonly name: string; readonly datatype: string }[],
): OutputRules {
  const all = given['*'];
  if (all?.by !== 'numbers') return { ...own, ...given };
  const floats = new Set(outputs.filter(isFloating).map(({ name }) => name));
  const replaced = Object.entries(own).map(([name, rule]): readonly [string, OutputRule] => [
    name,
    rule.by === 'numbers' && floats.has(name) ? { ...rule, atol: all.atol, rtol: all.rtol } : rule,
  ]);
  return { ...Object.fromEntries(replaced), ...given };
}

function detectionsText(rule: DetectionsRule): string {
  const { iou, scoreTolerance, scores, scoreColumn, labels, labelColumn, minScore } = rule;
  return [
    `boxes in any order, IoU of at least ${formatMeasured(iou)}`,
    ...(labels === undefined && labelColumn === undefined ? [] : ['the same label']),
    ...(scores === undefined && scoreColumn === undefined
      ? []
      : [`scores within ${formatScale(scoreTolerance)}`]),
    ...(minScore === undefined ? [] : [`from a score of ${formatScale(minScore)} on`]),
  ].join(', ');
}

/** A rule in words: "within 1e-4 + 1e-4 × value". */
export function ruleText(rule: OutputRule): string {
  switch (rule.by) {
    case 'numbers': {
      const { atol, rtol, maxMismatch, equalNan } = rule;
      const more = `${maxMismatch === undefined ? '' : `, except ${formatShare(maxMismatch)} of the values`}${equalNan === true ? ', NaN equal to NaN' : ''}`;
      if (atol === 0 && rtol === 0) return `exactly${more}`;
      return `within ${formatScale(atol)} + ${formatScale(rtol)} × value${more}`;
    }
    case 'text':
      return rule.ignore.length === 0 ? 'exact text' : `text without regard to ${rule.ignore.join(', ')}`;
    case 'ranks':
      return `the ${rule.top} highest of each row${rule.overlap === 1 ? '' : `, ${formatShare(rule.overlap)} of them`}`;
    case 'detections':
      return detectionsText(rule);
  }
}

const numberKeys = new Set([
  'atol',
  'rtol',
  'maxMismatch',
  'top',
  'overlap',
  'iou',
  'scoreTolerance',
  'minScore',
]);
const columnKeys = new Set(['labelColumn', 'scoreColumn']);

const isNormalizer = (word: string): word is TextNormalizer =>
  textNormalizers.some((normalizer) => normalizer === word);

/** The rules as they are written on a command line. */
export const ruleForms =
  'numbers:atol=1e-4:rtol=1e-4, text:case:whitespace:json, ranks:top=5:overlap=0.8, or detections:labels=L:scores=S:iou=0.5';

function member(word: string): readonly [name: string, value: unknown] | null {
  const [, name = '', text = ''] = /^(\w+)=(.+)$/.exec(word) ?? [];
  if (name === '') return null;
  if (name === 'equalNan') return [name, text === 'true' ? true : text === 'false' ? false : text];
  return [name, numberKeys.has(name) || columnKeys.has(name) ? Number(text) : text];
}

/** `ranks:top=5:overlap=0.8`, `text:case`; a text says what is wrong with it. */
export function parseRule(text: string): OutputRule | string {
  const [by = '', ...words] = text.split(':');
  const ignore = words.filter(isNormalizer);
  const others = words.filter((word) => !isNormalizer(word));
  const members = others.map(member);
  const odd = others.find((_word, at) => members[at] === null);
  if (odd !== undefined) return `"${odd}" is not NAME=VALUE`;
  const given: Record<string, unknown> = Object.fromEntries(
    members.flatMap((one) => (one === null ? [] : [one])),
  );
  const whole = {
    by,
    ...(by === 'numbers' ? { atol: 0, rtol: 0 } : {}),
    ...(ignore.length > 0 || by === 'text' ? { ignore } : {}),
    ...given,
  };
  const parsed = outputRuleSchema.safeParse(whole);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  if (where === 'by') return `"${by}" is not one of numbers, text, ranks, detections`;
  return `${where === '' ? '' : `${where}: `}${issue?.message ?? 'not a rule'}`;
}
