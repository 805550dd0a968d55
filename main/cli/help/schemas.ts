import { z } from 'zod';
import { fields } from '../../contract/fields/fields';
import { reportDocumentSchema } from '../../contract/run/report-document';
import { journalEntrySchema } from '../../contract/run/run-events';
import { runSpecSchema } from '../../contract/run/run-spec';

/** A part of a JSON Schema. */
interface Node {
  const?: unknown;
  description?: string;
  required?: readonly string[];
  properties?: Readonly<Record<string, Node>>;
  additionalProperties?: Node | boolean;
  items?: Node;
  anyOf?: readonly Node[];
  oneOf?: readonly Node[];
}

const branchesOf = ({ anyOf = [], oneOf = [] }: Node): readonly Node[] => [...anyOf, ...oneOf];

/** The parts that a dotted path of a field leads to: one per kind of engine that has it. */
function nodesAt(node: Node, path: readonly string[]): readonly Node[] {
  const [name, ...rest] = path;
  if (name === undefined) return [node];
  const { properties = {}, additionalProperties } = node;
  const inner =
    name === '*' && typeof additionalProperties === 'object' ? additionalProperties : properties[name];
  return [
    ...(inner === undefined ? [] : nodesAt(inner, rest)),
    ...branchesOf(node).flatMap((branch) => nodesAt(branch, path)),
  ];
}

/** A file may have any part of the specification, so nothing is required. */
function withoutRequired(node: Node): void {
  delete node.required;
  const { properties = {}, additionalProperties, items, oneOf } = node;
  if (oneOf !== undefined) {
    node.anyOf = oneOf;
    delete node.oneOf;
  }
  const inner = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  const parts = [...Object.values(properties), ...inner, ...(items === undefined ? [] : [items])];
  for (const part of [...parts, ...branchesOf(node)]) withoutRequired(part);
}

const options = { io: 'input', unrepresentable: 'any', reused: 'ref' } as const;

function runSchema(): unknown {
  const schema = z.toJSONSchema(runSpecSchema, { ...options, reused: 'inline' }) as Node;
  withoutRequired(schema);
  for (const list of nodesAt(schema, ['performance', 'concurrency'])) {
    // In a file the published sweep may be asked for by its name.
    const { ...numbers } = list;
    for (const key of Object.keys(list)) Reflect.deleteProperty(list, key);
    list.anyOf = [numbers, { const: 'formula' }];
  }
  for (const { path, help, unit, internal = false } of fields) {
    if (internal) continue;
    for (const node of nodesAt(schema, path.split('.'))) {
      node.description = unit === undefined ? help : `${help} Unit: ${unit}.`;
    }
  }
  return schema;
}

const schemas = {
  run: ['run.yaml, with all or any part of a specification', runSchema],
  journal: ['One line of journal.jsonl', () => z.toJSONSchema(journalEntrySchema, options)],
  report: ['report.json of a run', () => z.toJSONSchema(reportDocumentSchema, options)],
} as const satisfies Readonly<Record<string, readonly [title: string, make: () => unknown]>>;

export const schemaNames = ['run', 'journal', 'report'] as const satisfies readonly (keyof typeof schemas)[];

/** A JSON Schema of what the program reads or writes. */
export function schemaText(name: (typeof schemaNames)[number]): string {
  const [title, make] = schemas[name];
  const { $schema, ...rest } = make() as Record<string, unknown>;
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
}
