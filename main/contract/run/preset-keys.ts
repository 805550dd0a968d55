import { z } from 'zod';
import { presetSchema } from './preset';

interface Node {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: string;
  readonly description?: string;
  readonly absent?: string;
  readonly example?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly propertyNames?: Node;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}

export interface PresetKey {
  /** `signature.inputs[].name`; `*` for free names: `profiles.*.args`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** undefined: its parts have examples. */
  readonly example: unknown;
  /** Meaning of an absent key; null: required. */
  readonly absent: string | null;
}

/** JSON Schema of preset.yaml, with `example` and `absent` of its keys. */
export const presetJsonSchema = (): Node =>
  z.toJSONSchema(presetSchema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Node;

const branchesOf = ({ anyOf = [], oneOf = [] }: Node): readonly Node[] => [...anyOf, ...oneOf];

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  null: 'null',
  object: 'mapping',
};
const plurals: Readonly<Record<string, string>> = { mapping: 'mappings', text: 'texts' };

function typeOf(node: Node): string {
  if (node.enum !== undefined) return node.enum.map(String).join(', ');
  if (node.const !== undefined) return node.const;
  const branches = branchesOf(node);
  if (branches.length > 0) return [...new Set(branches.map(typeOf))].join(' or ');
  if (node.type === 'array') {
    const inner = typeOf(node.items ?? {});
    return `list of ${plurals[inner] ?? inner.replace('whole number', 'whole numbers')}`;
  }
  const names = node.propertyNames?.enum;
  return names === undefined ? (typeNames[node.type ?? ''] ?? 'any value') : `mapping by ${names.join(', ')}`;
}

const keyOf = (path: string, node: Node, isRequired: boolean): PresetKey => ({
  path,
  type: typeOf(node),
  isRequired,
  description: node.description ?? '',
  example: node.example,
  absent: isRequired ? null : (node.absent ?? null),
});

function* keysBelow(path: string, node: Node): Generator<PresetKey> {
  for (const branch of branchesOf(node)) yield* keysBelow(path, branch);
  if (node.items !== undefined) yield* keysBelow(`${path}[]`, node.items);
  const { properties = {}, required = [], additionalProperties } = node;
  for (const [name, inner] of Object.entries(properties)) {
    const at = path === '' ? name : `${path}.${name}`;
    yield keyOf(at, inner, required.includes(name));
    yield* keysBelow(at, inner);
  }
  if (typeof additionalProperties === 'object') yield* keysBelow(`${path}.*`, additionalProperties);
}

export function presetKeys(): readonly PresetKey[] {
  const found = new Map<string, PresetKey>();
  // Kinds of one list share most keys.
  for (const one of keysBelow('', presetJsonSchema())) if (!found.has(one.path)) found.set(one.path, one);
  return [...found.values()];
}

const plainText = /^[A-Za-z][\w ./-]*$/;
const otherValues = /^(true|false|yes|no|on|off|null|y|n)$/i;

/** One line of YAML: `{ name: x, shape: [-1, 3] }`. */
export function yamlFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(yamlFlow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, inner]) => `${yamlFlow(name)}: ${yamlFlow(inner)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (typeof value !== 'string') return String(value);
  return plainText.test(value) && !otherValues.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
}
