import * as protobuf from 'protobufjs/light.js';
import { WorkbenchError } from '../contract/errors';
import type { ConfigureSpec } from '../contract/run-spec';
import { applyConfigPatch } from '../triton/config-patch';
import type { ModelConfig } from '../triton/model-config';
import { modelConfigType } from '../triton/model-config-type';
import { plainMessage, textName } from '../triton/plain-message';
import {
  inertAcceleratorParameters,
  inertAccelerators,
  inertFields,
  inertParameters,
  refusalReasons,
} from './inert-fields';

const unknownReason = 'it is not on the list of settings that are known not to run code or read files';

function refused(
  path: string,
  name: string,
  why = refusalReasons.get(name) ?? unknownReason,
): WorkbenchError {
  return new WorkbenchError('config-invalid', `${path}: ${why}`, {
    where: `configure.configPatch.${path}`,
    remedy:
      'Remove it from config.pbtxt. To measure a model that needs it, serve it yourself and use: perf --url.',
  });
}

/** A name without a folder: what Triton opens stays in the folder of the model. */
const isFileName = (value: unknown): boolean =>
  typeof value === 'string' && /^[^/\\\0]*$/.test(value) && value !== '..' && value !== '.';

/** Values of parameters that are known are numbers, switches and names; a path is none of them. */
function checkParameters(path: string, parameters: object, known: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(parameters)) {
    const where = `${path}["${name}"]`;
    if (!known.has(name)) throw refused(where, name);
    const text: unknown =
      typeof value === 'object' ? (value as { stringValue?: unknown }).stringValue : value;
    if (text !== undefined && !isFileName(text)) {
      throw refused(
        where,
        name,
        'its value is a path, and Triton would use a file that this run does not write',
      );
    }
  }
}

/** What the list of fields cannot say, by type and field. */
function checkValue(typeName: string, field: string, path: string, value: unknown): void {
  switch (`${typeName}.${field}`) {
    case 'ModelConfig.parameters':
      checkParameters(path, value as object, inertParameters);
      return;
    case 'ModelOptimizationPolicy.ExecutionAccelerators.Accelerator.parameters':
      checkParameters(path, value as object, inertAcceleratorParameters);
      return;
    case 'ModelOptimizationPolicy.ExecutionAccelerators.Accelerator.name':
      if (!inertAccelerators.has(String(value))) throw refused(path, textName(field));
      return;
    case 'ModelConfig.defaultModelFilename':
    case 'ModelOutput.labelFilename':
      if (!isFileName(value)) {
        throw refused(path, textName(field), 'it leads out of the model folder');
      }
  }
}

/** Messages below a field, each with its path. */
function below(field: protobuf.Field, value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (!(field.resolvedType instanceof protobuf.Type)) return [];
  if (field.map) {
    return Object.entries(value as object).map(([key, item]) => [`${path}["${key}"]`, item] as const);
  }
  if (!field.repeated) return [[path, value]];
  return (value as readonly unknown[]).map((item, index) => [`${path}[${index}]`, item] as const);
}

function walk(type: protobuf.Type, message: Readonly<Record<string, unknown>>, path: string): void {
  const typeName = type.fullName.replace(/^\.inference\./, '');
  for (const [name, value] of Object.entries(message)) {
    // proto3 has no difference between an empty text and none.
    if (value === '') continue;
    const where = `${path}${textName(name)}`;
    const field = type.fields[name]?.resolve();
    if (field === undefined || inertFields[typeName]?.includes(name) !== true) {
      throw refused(where, textName(name));
    }
    checkValue(typeName, name, where, value);
    const { resolvedType } = field;
    if (!(resolvedType instanceof protobuf.Type)) continue;
    for (const [innerPath, inner] of below(field, value, where)) {
      walk(resolvedType, inner as Readonly<Record<string, unknown>>, `${innerPath}.`);
    }
  }
}

/**
 * Throws config-invalid naming the first field or parameter of config.pbtxt that may make Triton load a library, run a
 * command or read a file, and each that nobody has looked at. Pure.
 */
export function requireInertConfig(config: object, type = modelConfigType): void {
  walk(type, plainMessage(type, config, { unknown: 'reject' }), '');
}

const empty: ModelConfig = { name: '', maxBatchSize: 0, input: [], output: [] };

/** The same of an edit alone, before there is a configuration to lay it over. Throws config-invalid. */
export function requireInertPatch({ configPatch }: Pick<ConfigureSpec, 'configPatch'>): void {
  requireInertConfig(applyConfigPatch(empty, configPatch));
}
