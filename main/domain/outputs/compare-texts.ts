import type { TextNormalizer } from '../../contract/measured/output-rules';
import { type DecodedTensor, placeOf, type TensorDifference, withoutSizes } from './decoded-tensor';

/** A JSON text with the members of its objects in one order. */
function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${jsonText(inner)}`).join(',')}}`;
}

/** A text that is not JSON stays as it is. */
function jsonForm(text: string): string {
  try {
    return jsonText(JSON.parse(text));
  } catch {
    return text;
  }
}

const normalizers: Readonly<Record<TextNormalizer, (text: string) => string>> = {
  case: (text) => text.toLowerCase(),
  whitespace: (text) => text.trim().replace(/\s+/g, ' '),
  json: jsonForm,
};

/** JSON first: of its text the other two change the values too, which is what was asked for. */
const order: readonly TextNormalizer[] = ['json', 'case', 'whitespace'];

export const normalizedText = (text: string, ignore: readonly TextNormalizer[]): string =>
  order.filter((name) => ignore.includes(name)).reduce((changed, name) => normalizers[name](changed), text);

const mostShown = 60;

/** From shortly before the first difference on. */
function excerpt(text: string, from: number): string {
  const start = Math.max(0, from - 20);
  const part = text.slice(start, start + mostShown);
  return JSON.stringify(`${start > 0 ? '…' : ''}${part}${start + mostShown < text.length ? '…' : ''}`);
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Text by text. Both have the same shape. */
export function compareTexts(
  expected: DecodedTensor & { readonly values: readonly string[] },
  found: DecodedTensor & { readonly values: readonly string[] },
  ignore: readonly TextNormalizer[],
): TensorDifference {
  const differing = expected.values.flatMap((text, at) =>
    normalizedText(text, ignore) === normalizedText(found.values[at] ?? '', ignore) ? [] : [at],
  );
  const count = expected.values.length;
  const [first] = differing;
  const counted = { ...withoutSizes, compared: count, differing: differing.length };
  if (first === undefined) return { ...counted, worst: null, reason: null };
  const [wanted, got] = [expected.values[first] ?? '', found.values[first] ?? ''];
  const from = firstDifference(wanted, got);
  const at = placeOf(expected.shape, first);
  const worst = { at, expected: excerpt(wanted, from), found: excerpt(got, from), size: 1 };
  const of = count === 1 ? 'The text differs' : `${differing.length} of ${count} texts differ`;
  const place = `${of}; at [${at.join(', ')}], character ${from}: ${worst.found} where ${worst.expected} is expected`;
  return { ...counted, worst, reason: place };
}
