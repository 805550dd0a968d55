import { labelInText } from '../../contract/fields/fields';
import { bySource, knownParameters } from '../../contract/run/run-source';
import type { RunState } from '../../contract/run/run-state';
import { measuredServer, servedModels } from '../../contract/run/server-load';
import { fieldText } from '../../contract/run/spec-tools';
import { diffSpecs } from './diff-specs';

/** Formats a time (ISO 8601): local in the window, with its zone in a file. */
type When = (iso: string) => string;

/** Distinct names: equal ones get their time, and a number where that is equal too. */
function uniqueNames(names: readonly string[], states: readonly RunState[], when: When): readonly string[] {
  const timed = names.map((name, index) => {
    if (names.filter((other) => other === name).length === 1) return name;
    return [name, when(states[index]?.createdAt ?? '')].filter((part) => part !== '').join(', ');
  });
  return timed.map((name, index) => {
    const before = timed.slice(0, index).filter((other) => other === name).length;
    return timed.filter((other) => other === name).length > 1 ? `${name} (${before + 1})` : name;
  });
}

/** A distinct name per run: its own, else model and format, with time and number where equal. */
export function runNames(
  states: readonly RunState[],
  titleOf: (preset: string) => string,
  when: When,
): readonly string[] {
  const names = states.map(
    ({ name, source }) =>
      name ??
      bySource(source, {
        imported: ({ fileName }, model) => `${model}, imported from ${fileName}`,
        server: (load) => `${servedModels(load)} at ${measuredServer(load)}`,
        deployed: ({ model, format, precision }) =>
          `${titleOf(model.preset)} ${format} ${precision} ${model.profile}`,
      }),
  );
  return uniqueNames(names, states, when);
}

/** Fields that begin a name, in this order. */
const leading = ['model.preset', 'precision', 'format', 'engine.kind', 'model.profile'] as const;
/** Derived from other fields, or meaningless to a reader. */
const silent = /^(accuracy|timeouts|model\.source)\b/;
const mostParts = 3;
const mostCharacters = 32;

const shortened = (text: string): string =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1)}…` : text;

const rankOf = (field: string): number => {
  const at = leading.findIndex((one) => one === field);
  return at < 0 ? leading.length : at;
};

/** Of a path its last part, as the start of two says little. */
const lastPart = (text: string): string => text.replace(/^[~/]\S*\/(?=[^/\s]+$)/, '');

/** The last part of a path, or its label where that is several words: "instances", "maximum batch size". */
function wordOf(field: string): string {
  const last = field.slice(field.lastIndexOf('.') + 1);
  const label = labelInText(field);
  return /[a-z][A-Z]/.test(last) && label !== field ? label : last;
}

/** "fp16" is clear by itself, "2" is not: "instances 2". */
function partOf(field: string, value: string | null, titleOf: (preset: string) => string): string {
  const shown = lastPart(value ?? 'none');
  if (field === 'model.preset') return titleOf(shown);
  if (rankOf(field) < leading.length) return shown;
  return shortened(`${wordOf(field)} ${shown}`);
}

const repeated = (names: readonly string[]): boolean => new Set(names).size < names.length;

/** A run's or imported file's own name, else what differs ("fp16", "instances 2"), with the time if needed. */
export function shortNames(
  states: readonly RunState[],
  titleOf: (preset: string) => string,
  when: When,
): readonly string[] {
  const differences = diffSpecs(states.map(knownParameters), (_path, value) => fieldText(value))
    .filter(({ field }) => !silent.test(field))
    .toSorted((a, b) => rankOf(a.field) - rankOf(b.field));
  const named = (count: number): readonly string[] =>
    states.map(({ name, source }, index) => {
      if (name !== null) return shortened(name);
      if (source.kind === 'imported') return source.file.fileName;
      return differences
        .slice(0, count)
        .map(({ field, values }) => partOf(field, values[index] ?? null, titleOf))
        .join(', ');
    });
  for (let count = 1; count <= mostParts; count += 1) {
    const names = named(count);
    if (!repeated(names)) return names;
  }
  // Further fields do not distinguish them; the time does.
  return uniqueNames(named(1), states, when);
}
