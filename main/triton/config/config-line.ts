import { textName } from '../plain-message';
import { configPath, type ConfigStep, entryIndex } from './config-path';
import { type ConfigNode, type ConfigNodeValue, configTree, type Span } from './config-tree';

interface Entry {
  readonly node: ConfigNode;
  readonly value: ConfigNodeValue;
}

const entriesOf = (fields: readonly ConfigNode[], { field }: ConfigStep): readonly Entry[] =>
  fields
    .filter(({ name }) => name === textName(field.name) || name === field.name)
    .flatMap((node) => node.values.map((value) => ({ node, value })));

/** Plain text of a field: names are written without escapes. */
const textOf = ({ message }: ConfigNodeValue, name: string): string | undefined =>
  message?.fields.find((field) => field.name === name)?.values[0]?.parts.join('');

const valueOf = (fields: readonly ConfigNode[]): ConfigNodeValue | undefined =>
  fields.find(({ name }) => name === 'value')?.values[0];

/** The field as written, or the innermost message around it; null where the text has neither. */
function spanOf(text: string, path: string): Span | null {
  let fields = configTree(text);
  let found: Span | null = null;
  for (const step of configPath(path)) {
    const entries = entriesOf(fields, step);
    const { at, field } = step;
    const names = entries.map(({ value }) => textOf(value, field.map ? 'key' : 'name'));
    const entry = entries[at === null ? 0 : entryIndex(at, names)];
    // An entry that a list lacks belongs behind its last one.
    if (entry === undefined) return entries.at(-1)?.value ?? found;
    found = at === null ? entry.node : entry.value;
    const inner = entry.value.message?.fields ?? [];
    // Of a map's entry the fields are those of its value.
    fields = field.map ? (valueOf(inner)?.message?.fields ?? []) : inner;
  }
  return found;
}

/**
 * Line, from 1, of a field of config.pbtxt, or of the message that lacks it; null where the text has neither, or cannot be read.
 * @param path as of `editConfigPbtxt`
 */
export function configLine(text: string, path: string): number | null {
  try {
    const span = spanOf(text, path);
    return span === null ? null : text.slice(0, span.start).split('\n').length;
  } catch {
    return null;
  }
}

/** "config.pbtxt, line 3"; without a line where it is not known. */
export function configPlace(text: string, path: string | undefined): string {
  const line = path === undefined ? null : configLine(text, path);
  return line === null ? 'config.pbtxt' : `config.pbtxt, line ${line}`;
}
