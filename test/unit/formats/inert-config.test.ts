import * as protobuf from 'protobufjs/light.js';
import { describe, expect, it } from 'vitest';
import { toWire, type WireError } from '../../../main/contract/errors';
import schema from '../../../main/contract/model-config.schema.json';
import { requireInertConfig, requireInertPatch } from '../../../main/formats/inert-config';
import { modelConfigType, textName } from '../../../main/triton/plain-message';

function refusal(check: () => void): WireError | null {
  try {
    check();
    return null;
  } catch (error) {
    return toWire(error);
  }
}

const ofConfig = (config: object) =>
  refusal(() => {
    requireInertConfig(config);
  });
const ofPatch = (configPatch: Record<string, unknown>) =>
  refusal(() => {
    requireInertPatch({ configPatch });
  });

/** Names that the check takes, where any other name would be refused for itself. */
const samples: Readonly<Record<string, string>> = {
  'ModelConfig.parameters': 'intra_op_threads',
  'Accelerator.parameters': 'precision_mode',
  'Accelerator.name': 'cuda',
};

function scalar(field: protobuf.Field, sample: string): unknown {
  if (field.resolvedType instanceof protobuf.Enum) return Object.keys(field.resolvedType.values)[0];
  if (field.type === 'string') return sample;
  return field.type === 'bool' ? true : 1;
}

/** Every field of a message and below, each as a message that has this one alone. */
function everyField(type: protobuf.Type, path: string): (readonly [string, object])[] {
  return type.fieldsArray.flatMap((unresolved) => {
    const field = unresolved.resolve();
    const where = `${path}${textName(field.name)}`;
    const sample = samples[`${type.name}.${field.name}`] ?? 'sample';
    // Numbers are keys as well.
    const key = field instanceof protobuf.MapField && field.keyType !== 'string' ? '1' : sample;
    const wrapped = (value: unknown) => ({
      [field.name]: field.map ? { [key]: value } : field.repeated ? [value] : value,
    });
    if (!(field.resolvedType instanceof protobuf.Type)) return [[where, wrapped(scalar(field, sample))]];
    const inner = everyField(field.resolvedType, `${where}.`).map(
      ([at, message]) => [at, wrapped(message)] as const,
    );
    return [[where, wrapped({})] as const, ...inner];
  });
}

const fields = everyField(modelConfigType, '');

/** Whatever is below them is refused with them. */
const refusedFields = [
  ...['runtime', 'ensemble_scheduling', 'cc_model_filenames', 'model_operations', 'model_repository_agents'],
  ...['model_warmup.inputs.input_data_file', 'sequence_batching.state.initial_state.data_file'],
];

describe('every field of ModelConfig', () => {
  it('is in the table', () => {
    expect(fields.length).toBeGreaterThan(150);
    expect(fields.map(([path]) => path)).toEqual(expect.arrayContaining(refusedFields));
  });

  it.each(fields)('%s is known to be inert, or refused by name with why and how', (path, config) => {
    const wanted = refusedFields.find((name) => path === name || path.startsWith(`${name}.`));
    const error = ofConfig(config);
    if (wanted === undefined) {
      expect(error).toBeNull();
      return;
    }
    expect(error).toMatchObject({ code: 'config-invalid' });
    expect(error?.where?.replace(/\[[^\]]*\]/g, '')).toBe(`configure.configPatch.${wanted}`);
    expect(error?.message).not.toMatch(/not on the list/);
    expect(error?.remedy).toContain('perf --url');
  });

  it('that a later release adds is refused until it is on the list, at any depth', () => {
    const later = protobuf.Root.fromJSON(schema).resolveAll();
    const type = later.lookupType('inference.ModelConfig');
    type.add(new protobuf.Field('preloadHook', 900, 'string'));
    later.lookupType('inference.ModelOutput').add(new protobuf.Field('hook', 901, 'string'));
    for (const [config, path] of [
      [{ preloadHook: '/tmp/hook' }, 'preload_hook'],
      [{ output: [{ name: 'a' }, { name: 'b', hook: 'x' }] }, 'output[1].hook'],
    ] as const) {
      const error = refusal(() => {
        requireInertConfig(config, type);
      });
      expect(error).toMatchObject({ code: 'config-invalid', where: `configure.configPatch.${path}` });
      expect(error?.message).toContain('not on the list');
    }
  });
});

const parameter = (name: string, stringValue: string) => ({ parameters: { [name]: { stringValue } } });
const accelerator = (name: string, parameters: Record<string, string> = {}) => ({
  optimization: { executionAccelerators: { gpuExecutionAccelerator: [{ name, parameters }] } },
});

describe('a patch', () => {
  it.each([
    [parameter('EXECUTION_ENV_PATH', '/tmp/env.tar.gz'), 'parameters["EXECUTION_ENV_PATH"]'],
    [parameter('TF_INIT_OPS_FILE', 'init.txt'), 'parameters["TF_INIT_OPS_FILE"]'],
    [parameter('constructor', 'x'), 'parameters["constructor"]'],
    [parameter('model_filename', '../../other/model.onnx'), 'parameters["model_filename"]'],
    [
      accelerator('tensorrt', { trt_extra_plugin_lib_paths: 'evil.so' }),
      'optimization.execution_accelerators.gpu_execution_accelerator[0].parameters["trt_extra_plugin_lib_paths"]',
    ],
    [accelerator('evil'), 'optimization.execution_accelerators.gpu_execution_accelerator[0].name'],
    [{ runtime: '/tmp/libtriton_evil.so' }, 'runtime'],
    [
      { modelWarmup: [{ inputs: { x: { inputDataFile: '../1/0-0.bin' } } }] },
      'model_warmup[0].inputs["x"].input_data_file',
    ],
    [{ default_model_filename: '../model.py' }, 'default_model_filename'],
    [
      { output: [{ name: 'y', dims: [1], labelFilename: '../../../etc/passwd' }] },
      'output[0].label_filename',
    ],
  ])('%j is refused', (patch, path) => {
    const error = ofPatch(patch);
    expect(error).toMatchObject({ code: 'config-invalid', where: `configure.configPatch.${path}` });
    expect(error?.message.startsWith(`${path}: `)).toBe(true);
  });

  it.each([
    {},
    { runtime: '' },
    { parameters: null },
    parameter('session.intra_op.allow_spinning', '0'),
    accelerator('tensorrt', { precision_mode: 'FP16', max_workspace_size_bytes: '1073741824' }),
    { modelWarmup: [{ name: 'zero', batchSize: 1, inputs: { x: { dims: [3], zeroData: true } } }] },
    { modelWarmup: [{ batchSize: 1, inputs: { x: { dims: [3], inputDataFile: '2/0-1.bin' } } }] },
    { metricTags: { team: '/vision' } },
  ])('%j is taken', (patch) => {
    expect(ofPatch(patch)).toBeNull();
  });
});
