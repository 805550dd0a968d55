/** Any part of a JSON Schema. */
type Part = Record<string, unknown>;

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords that apply to one type, which a strict validator wants beside them. */
const typed = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'format', 'minItems', 'maxItems', 'items'],
];

/** The type of what a reference leads to; undefined: several. */
function typeBehind(definitions: Part, reference: unknown): string | undefined {
  const found = definitions[String(reference).replace('#/$defs/', '')];
  if (!isPart(found)) return undefined;
  if (typeof found['type'] === 'string') return found['type'];
  return found['$ref'] === undefined ? undefined : typeBehind(definitions, found['$ref']);
}

/** `[T, ...T[]]`: a list of at least so many. */
function isPlainList({ prefixItems, items }: Part): boolean {
  const rest = JSON.stringify(items);
  return Array.isArray(prefixItems) && prefixItems.every((item) => JSON.stringify(item) === rest);
}

/** Of types, other than one or null. */
const isChoice = (type: unknown): type is readonly unknown[] =>
  Array.isArray(type) && !(type.length === 2 && type.includes('null'));

/**
 * The same schema as strict validators (Ajv) take it: each keyword beside its type, a choice of types as alternatives, and
 * lists of one kind without places. Pure.
 */
export function strictSchema(schema: Part): Part {
  const definitions = isPart(schema['$defs']) ? schema['$defs'] : {};
  const strict = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strict);
    if (!isPart(value)) return value;
    const part: Part = Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
        if (name === 'prefixItems' && isPlainList(value)) return [];
        if (name !== 'type' || !isChoice(inner)) return [[name, strict(inner)]];
        return [['anyOf', inner.map((one) => ({ type: one }))]];
      }),
    );
    if ('type' in part || !typed.some((name) => name in part)) return part;
    const behind = typeBehind(definitions, part['$ref']);
    return behind === undefined ? part : { type: behind, ...part };
  };
  return strict(schema) as Part;
}
