import { isAbsolute } from 'node:path';
import type { Preset } from '../contract/preset';
import { formats, loadTools } from '../contract/run-spec';
import { mergeTrees } from '../contract/trees';
import { treeOf, upstreamVariables } from '../contract/upstream-variables';
import { shortText, someOf } from '../platform/short-text';
import { upstreamNotes, usualValues } from '../presets/upstream-notes';

export interface ReadVariables {
  readonly overrides: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
}

type Variables = ReadonlyMap<string, string>;

const absent = (value: string | undefined): boolean => value === undefined || /^(null|~)?$/i.test(value);

/** `format` of what is offered here; the published SavedModels are made from such a file. */
function formatNotes(variables: Variables): { readonly format: string | null; readonly notes: string[] } {
  const wanted = variables.get('FORMAT');
  if (wanted === undefined) return { format: null, notes: [] };
  const known = (name: string | undefined) => formats.some((format) => format === name);
  if (known(wanted)) return { format: wanted, notes: [] };
  const exported = variables.get('EXPORT_FORMAT');
  const note = `FORMAT=${shortText(wanted)}: this format is not supported`;
  if (!known(exported) || exported === undefined)
    return { format: null, notes: [`${note}; kept unchanged.`] };
  return { format: exported, notes: [`${note}; ${exported}, which it is made from, is taken.`] };
}

/** A value as the field's variable reads it; null with the reason when it cannot stand in the field. */
function readValue(name: string, text: string): { readonly value: unknown } | { readonly reason: string } {
  const variable = upstreamVariables[name];
  if (variable === undefined) return { reason: 'unknown' };
  const value = variable.read(text);
  const numbers = Array.isArray(value) ? (value as unknown[]) : [value];
  if (numbers.some(Number.isNaN)) return { reason: `"${shortText(text)}" is not a number` };
  const isPath = variable.field === 'model.checkpoint' || variable.field === 'model.dataset';
  if (isPath && !isAbsolute(text)) return { reason: `"${shortText(text)}" is not an absolute path` };
  if (variable.field === 'performance.loadTool' && !loadTools.some((tool) => tool === value)) {
    return { reason: `"${shortText(text)}" is not supported; choose ${loadTools.join(' or ')}` };
  }
  return { value };
}

/**
 * The variables of a published procedure as overrides of a specification, and what they say that no field stands for.
 * Values of a variable that is null, empty or the usual one are passed over in silence. Pure.
 */
export function readVariables(preset: Preset, given: Variables): ReadVariables {
  const variables: Variables = new Map(
    [...given].map(([name, value]) => [name, value.trim()] as const).filter(([, value]) => !absent(value)),
  );
  const notes: string[] = [];
  const without = new Map<string, string[]>();
  let overrides: Readonly<Record<string, unknown>> = {};
  const { format, notes: ofFormat } = formatNotes(variables);
  notes.push(...ofFormat);
  if (format !== null) overrides = treeOf('format', format);
  for (const [name, text] of variables) {
    if (name === 'FORMAT') continue;
    if (Object.hasOwn(upstreamVariables, name)) {
      const read = readValue(name, text);
      if ('reason' in read) notes.push(`${name}: ${read.reason}; left out.`);
      else overrides = mergeTrees(overrides, treeOf(upstreamVariables[name]?.field ?? name, read.value));
      continue;
    }
    if (usualValues[name]?.includes(text) === true) continue;
    const reason = Object.hasOwn(upstreamNotes, name) ? upstreamNotes[name] : 'it is unknown';
    if (typeof reason !== 'string') continue;
    const names = without.get(reason);
    if (names === undefined) without.set(reason, [name]);
    else names.push(name);
  }
  for (const [reason, names] of without) notes.push(`${someOf(names)}: ${reason}; left out.`);
  if (variables.has('REQUEST_COUNT') && !variables.has('MEASUREMENT_MODE')) {
    overrides = mergeTrees(overrides, treeOf('performance.measurementMode', 'count_windows'));
    notes.push(
      'REQUEST_COUNT: windows are measured by the count of their requests, as the published runner does.',
    );
  }
  const exported = variables.get('EXPORT_PRECISION');
  if (exported !== undefined && exported !== 'fp32') {
    notes.push(
      `EXPORT_PRECISION=${shortText(exported)}: the export is fp32 here; the conversion gives the precision.`,
    );
  }
  const model = variables.get('MODEL_NAME');
  if (model !== undefined && model.toLowerCase() !== preset.id) {
    notes.push(
      `MODEL_NAME=${shortText(model)}: taken as the name on Triton; the model stays ${preset.title}.`,
    );
  }
  return { overrides, notes };
}
