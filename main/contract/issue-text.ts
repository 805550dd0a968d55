import { config, type core } from 'zod';
import { didYouMean } from './fields/nearest-name';
import { isTree } from './trees';

type RawIssue = core.$ZodRawIssue;

export const missingText = 'is missing';

const typeNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

const listed = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.map(String).join(', ')}`;

/** "at least 1 character", "at least 2"; the unit depends on the kind. */
function sizeText(words: string, limit: number | bigint, origin: string): string {
  const plural = Number(limit) === 1 ? '' : 's';
  if (origin === 'string') return `must have ${words} ${limit} character${plural}`;
  if (origin === 'array' || origin === 'set') return `must have ${words} ${limit} value${plural}`;
  return `must be ${words} ${limit}`;
}

const pathText = ([first, ...rest]: readonly PropertyKey[]): string =>
  typeof first === 'number' && rest.length === 0
    ? `value ${first + 1}`
    : [first, ...rest].map(String).join('.');

/** Problem of a union: "must be formula or a list"; where the kind fits, the problem inside. */
function unionText(errors: readonly (readonly core.$ZodIssue[])[]): string | undefined {
  const firsts = errors.flatMap(([first]) => first ?? []);
  const inside = firsts.find(({ path }) => path.length > 0);
  if (inside !== undefined) return `${pathText(inside.path)} ${inside.message}`;
  const [head, ...rest] = new Set(firsts.map(({ message }) => message));
  if (head === undefined) return undefined;
  return [head, ...rest.map((text) => text.replace(/^must be /, ''))].join(' or ');
}

/** What an object has where its kind is told: the engine "dokcer". */
const kindOf = ({
  input,
  discriminator,
}: {
  readonly input?: unknown;
  readonly discriminator?: unknown;
}): unknown => (isTree(input) && typeof discriminator === 'string' ? input[discriminator] : undefined);

type Texts = {
  readonly [Code in RawIssue['code']]?: (issue: Extract<RawIssue, { code: Code }>) => string | undefined;
};

const texts: Texts = {
  invalid_type: ({ input, expected }) =>
    input === undefined ? missingText : `must be ${typeNames[expected] ?? expected}`,
  too_small: ({ inclusive, minimum, origin }) =>
    sizeText(inclusive === false ? 'more than' : 'at least', minimum, origin),
  too_big: ({ inclusive, maximum, origin }) =>
    sizeText(inclusive === false ? 'less than' : 'at most', maximum, origin),
  invalid_value: ({ input, values }) => `must be ${listed(values)}${didYouMean(input, values.map(String))}`,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: ({ keys }) => `unknown field ${keys.join(', ')}`,
  invalid_union: (issue) =>
    'options' in issue && Array.isArray(issue.options)
      ? `must be ${listed(issue.options)}${didYouMean(kindOf(issue), issue.options.map(String))}`
      : unionText(issue.errors),
};

/** Text that follows the name of the field; undefined: zod's own. */
function issueText(issue: RawIssue): string | undefined {
  const text = texts[issue.code] as ((issue: RawIssue) => string | undefined) | undefined;
  return text?.(issue);
}

config({ customError: issueText });
