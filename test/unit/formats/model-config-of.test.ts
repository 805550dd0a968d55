import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { Signature } from '../../../main/contract/run/artefacts';
import { backendSets } from '../../../main/contract/run/engine-rows';
import {
  accelerators,
  type ConfigureSpec,
  type EngineKind,
  exportFormats,
  exportPrecisions,
  type Format,
  type Precision,
  type RunSpec,
} from '../../../main/contract/run/run-spec';
import { formatOf, modelFormats } from '../../../main/formats/formats';
import { modelConfigOf } from '../../../main/formats/model-config-of';
import { formatConfigPbtxt, parseConfigPbtxt } from '../../../main/triton/config/config-pbtxt';

const signature: Signature = {
  inputs: [{ name: 'INPUT__0', datatype: 'FP32', shape: [-1, 3, 224, 224] }],
  outputs: [{ name: 'OUTPUT__0', datatype: 'FP32', shape: [-1, 1000] }],
};

const configure: ConfigureSpec = {
  modelName: 'resnet50',
  modelVersion: 2,
  maxBatchSize: 8,
  batching: 'dynamic',
  preferredBatchSizes: [4, 8],
  maxQueueDelayUs: 100,
  instances: 2,
  instanceKind: 'KIND_AUTO',
  backendAccelerator: 'none',
  captureCudaGraph: false,
  threads: 1,
  configPatch: {},
};

interface Choice {
  readonly engine?: EngineKind;
  readonly gpus?: string[];
  readonly format?: Format;
  readonly precision?: Precision;
  readonly configure?: Partial<ConfigureSpec>;
  readonly signature?: Signature;
}

function build(choice: Choice = {}) {
  const kind = choice.engine ?? 'local';
  const engine =
    kind === 'remote'
      ? ({ kind, url: 'http://h:8000' } as const)
      : kind === 'docker'
        ? ({ kind, gpus: choice.gpus ?? ['all'], shmSizeMiB: 1024 } satisfies RunSpec['engine'])
        : { kind };
  return modelConfigOf({
    spec: {
      engine,
      precision: choice.precision ?? 'fp32',
      configure: { ...configure, ...choice.configure },
    },
    signature: choice.signature ?? signature,
    format: formatOf(choice.format ?? 'onnx'),
  });
}

function refusal(choice: Choice): WorkbenchError {
  try {
    build(choice);
  } catch (error) {
    if (error instanceof WorkbenchError) return error;
    throw error;
  }
  throw new Error('It was not refused');
}

describe('configuration of a run', () => {
  it('serves through the Python backend on the local engine', () => {
    expect(build()).toEqual({
      name: 'resnet50',
      backend: 'python',
      versionPolicy: { specific: { versions: [2] } },
      maxBatchSize: 8,
      input: [{ name: 'INPUT__0', dataType: 'TYPE_FP32', dims: [3, 224, 224] }],
      output: [{ name: 'OUTPUT__0', dataType: 'TYPE_FP32', dims: [1000] }],
      instanceGroup: [{ count: 2, kind: 'KIND_CPU' }],
      dynamicBatching: { preferredBatchSize: [4, 8], maxQueueDelayMicroseconds: 100 },
      parameters: {
        model_filename: { stringValue: 'model.onnx' },
        execution_providers: { stringValue: 'CPUExecutionProvider' },
        intra_op_threads: { stringValue: '1' },
        inter_op_threads: { stringValue: '1' },
      },
    });
  });

  it('uses Triton’s own backends elsewhere', () => {
    const gpu = { instanceKind: 'KIND_GPU', backendAccelerator: 'trt', captureCudaGraph: true } as const;
    const onnx = build({ engine: 'remote', precision: 'fp16', configure: gpu });
    expect(onnx.platform).toBe('onnxruntime_onnx');
    expect(onnx.backend).toBeUndefined();
    expect(onnx.optimization).toEqual({
      executionAccelerators: {
        gpuExecutionAccelerator: [
          {
            name: 'tensorrt',
            parameters: {
              precision_mode: 'FP16',
              trt_engine_cache_enable: '1',
              trt_engine_cache_path: '/tmp/tensorrt-engines',
              trt_cuda_graph_enable: '1',
            },
          },
        ],
      },
    });
    const torch = build({ engine: 'docker', format: 'ts-script', configure: { backendAccelerator: 'cuda' } });
    expect([torch.platform, torch.optimization]).toEqual(['pytorch_libtorch', undefined]);
    expect(torch.instanceGroup).toEqual([{ count: 2, kind: 'KIND_AUTO' }]);
  });

  it('names the chosen GPUs, so that Triton does not spread over every one that it sees', () => {
    const config = build({ engine: 'docker', gpus: ['GPU-b', 'GPU-a'] });
    expect(config.instanceGroup).toEqual([{ count: 2, kind: 'KIND_GPU', gpus: [0, 1] }]);
    expect(formatConfigPbtxt(config)).toMatch(/instance_group \[?\s*\{[^}]*gpus: \[ 0, 1 \]/);
  });

  it('has a dynamic batcher only for dynamic batching', () => {
    expect(build({ configure: { batching: 'static' } }).dynamicBatching).toBeUndefined();
    const plain = build({ configure: { preferredBatchSizes: [], maxQueueDelayUs: 0 } });
    expect(plain.dynamicBatching).toEqual({ maxQueueDelayMicroseconds: 0 });
    const off = build({ configure: { batching: 'disabled' } });
    expect([off.maxBatchSize, off.input[0]?.dims, off.dynamicBatching]).toEqual([
      0,
      [-1, 3, 224, 224],
      undefined,
    ]);
  });

  it('refuses what waits too long or in too large a number, where that is asked for', () => {
    const config = build({
      configure: { maxQueueSize: 16, queueTimeoutUs: 50_000, queueTimeoutAction: 'delay' },
    });
    expect(config.dynamicBatching?.defaultQueuePolicy).toEqual({
      ...{ maxQueueSize: 16, defaultTimeoutMicroseconds: 50_000, timeoutAction: 'DELAY' },
    });
    expect(formatConfigPbtxt(config)).toMatch(/default_queue_policy \{[^}]*max_queue_size: 16/);
    const off = build({ configure: { maxQueueSize: 0, queueTimeoutUs: 0, queueTimeoutAction: 'reject' } });
    expect(off.dynamicBatching).not.toHaveProperty('defaultQueuePolicy');
  });

  it('warms the model up at each batch size, where that is asked for', () => {
    expect(build().modelWarmup).toBeUndefined();
    const config = build({ configure: { warmup: 'random', warmupBatchSizes: [1, 8] } });
    expect(parseConfigPbtxt(formatConfigPbtxt(config))).toEqual(config);
    expect(formatConfigPbtxt(config)).toMatch(/batch_size: 8[\s\S]*key: "INPUT__0"[\s\S]*random_data: true/);
    const tooLarge = refusal({ configure: { warmup: 'zero', warmupBatchSizes: [4, 16] } });
    expect(tooLarge).toMatchObject({ code: 'config-invalid', where: 'configure.warmupBatchSizes' });
    expect(build({ configure: { warmup: 'none', warmupBatchSizes: [16] } }).modelWarmup).toBeUndefined();
  });

  it('gives a tensor that is nothing but its batch a dimension', () => {
    const scores: Signature = {
      inputs: [{ name: 'text', datatype: 'BYTES', shape: [-1, 1] }],
      outputs: [{ name: 'score', datatype: 'INT64', shape: [-1] }],
    };
    const config = build({ signature: scores });
    expect(config.input).toEqual([{ name: 'text', dataType: 'TYPE_STRING', dims: [1] }]);
    expect(config.output).toEqual([{ name: 'score', dataType: 'TYPE_INT64', dims: [1], reshape: {} }]);
    expect(parseConfigPbtxt(formatConfigPbtxt(config))).toEqual(config);
  });

  it('names what cannot be', () => {
    const tooLarge = refusal({ configure: { preferredBatchSizes: [4, 16] } });
    expect([tooLarge.code, tooLarge.where]).toEqual(['config-invalid', 'configure.preferredBatchSizes']);
    expect(tooLarge.message).toContain('16');
    expect(refusal({ configure: { maxBatchSize: 0 } }).where).toBe('configure.maxBatchSize');
    const fixed = { ...signature, inputs: [{ name: 'a', datatype: 'FP32', shape: [1, 3] }] };
    expect(refusal({ signature: fixed }).message).toContain('no variable batch dimension');
    for (const [choice, word] of [
      [{ configure: { backendAccelerator: 'trt' } }, 'runs on CPU'],
      [{ configure: { instanceKind: 'KIND_GPU' } }, 'KIND_GPU'],
      [{ engine: 'docker', configure: { captureCudaGraph: true } }, 'TensorRT'],
      [{ engine: 'docker', configure: { backendAccelerator: 'amp' } }, 'TensorFlow'],
      [{ engine: 'docker', format: 'ts-trace', configure: { backendAccelerator: 'trt' } }, 'PyTorch backend'],
      [{ engine: 'docker', configure: { backendAccelerator: 'cuda', instanceKind: 'KIND_CPU' } }, 'KIND_CPU'],
    ] satisfies [Choice, string][]) {
      const error = refusal(choice);
      expect([error.code, error.message]).toEqual(['combination-unsupported', expect.stringContaining(word)]);
      expect(error.remedy).not.toBe('');
    }
  });
});

describe('an edit by hand', () => {
  const patched = (configPatch: ConfigureSpec['configPatch']) => ({ configure: { configPatch } });

  it('is in the file', () => {
    const config = build(
      patched({ responseCache: { enable: true }, dynamicBatching: { preserveOrdering: true } }),
    );
    expect(config['responseCache']).toEqual({ enable: true });
    expect(config.dynamicBatching).toEqual({
      preferredBatchSize: [4, 8],
      maxQueueDelayMicroseconds: 100,
      preserveOrdering: true,
    });
  });

  const image = { name: 'INPUT__0', dataType: 'TYPE_FP32', dims: [3, 224, 224] };

  it.each([
    [{ name: 'other' }, 'name'],
    [{ maxBatchSize: 16 }, 'max_batch_size'],
    [{ backend: 'onnxruntime' }, 'backend'],
    [{ defaultModelFilename: 'net.onnx' }, 'default_model_filename'],
    [{ parameters: { model_filename: { stringValue: 'net.onnx' } } }, 'parameters["model_filename"]'],
    [{ input: [{ ...image, name: 'image' }] }, 'input'],
    [{ input: [{ ...image, dataType: 'TYPE_FP16' }] }, 'input'],
    [{ input: [{ ...image, dims: [224, 224, 3] }] }, 'input'],
    [{ input: [image, { ...image, name: 'more' }] }, 'input'],
    [{ output: null }, 'output'],
    [{ versionPolicy: { specific: { versions: [1] } } }, 'version_policy'],
    [
      { dynamicBatching: null, sequenceBatching: { controlInput: [{ name: image.name }] } },
      'sequence_batching.control_input',
    ],
    [
      { dynamicBatching: null, sequenceBatching: { state: [{ inputName: 'past', outputName: 'next' }] } },
      'sequence_batching.state',
    ],
    [{ dynamicBatching: null, ensembleScheduling: {} }, 'ensemble_scheduling'],
    [{ dynamicBatching: { preferredBatchSize: [16] } }, 'dynamic_batching.preferred_batch_size'],
    [{ instanceGroup: [{ kind: 'KIND_GPU' }] }, 'instance_group'],
    [{ platform: 'evil_plan' }, 'platform'],
    [{ runtime: 'libtriton_evil.so' }, 'runtime'],
    [{ modelOperations: { opLibraryFilename: ['evil.so'] } }, 'model_operations'],
    [{ modelRepositoryAgents: { agents: [{ name: 'evil' }] } }, 'model_repository_agents'],
    [
      { parameters: { EXECUTION_ENV_PATH: { stringValue: '/tmp/e.tar.gz' } } },
      'parameters["EXECUTION_ENV_PATH"]',
    ],
  ])('%j is refused', (configPatch, field) => {
    const error = refusal(patched(configPatch));
    expect([error.code, error.where]).toEqual(['config-invalid', `configure.configPatch.${field}`]);
    expect(error.remedy).not.toBe('');
  });

  it.each([
    { versionPolicy: { latest: { numVersions: 1 }, specific: null } },
    { dynamicBatching: null, sequenceBatching: { controlInput: [{ name: 'START' }] } },
    { modelTransactionPolicy: { decoupled: true } },
    { input: [{ ...image, dims: [3, -1, -1], format: 'FORMAT_NCHW' }] },
    {
      instanceGroup: [
        { count: 1, kind: 'KIND_CPU' },
        { count: 2, kind: 'KIND_CPU' },
      ],
    },
  ])('%j is taken', (configPatch) => {
    expect(build(patched(configPatch))).toMatchObject({
      name: 'resnet50',
      ...('input' in configPatch ? { input: configPatch.input } : {}),
    });
  });
});

describe.each(exportFormats)('format %s', (id) => {
  const format = modelFormats[id];

  it('is registered under its own id and made from something', () => {
    expect(format.id).toBe(id);
    expect(format.convertsFrom.length).toBeGreaterThan(0);
    expect(format.fileName).toMatch(/^model\.\w+$/);
  });

  it('answers for every set of backends, precision and accelerator, and writes a valid part for what it allows', () => {
    for (const backends of backendSets) {
      for (const precision of exportPrecisions) {
        for (const accelerator of accelerators) {
          const serving = format.servedBy({ backends, precision, accelerator });
          if (!serving.ok) {
            expect(serving.reason).not.toBe('');
            expect(serving.remedy).not.toBe('');
            continue;
          }
          expect(serving.serving).toBe(backends === 'python' ? 'shim' : 'native');
          const config = build({
            engine: backends === 'python' ? 'local' : 'remote',
            format: id,
            precision,
            configure: { backendAccelerator: accelerator },
          });
          expect(parseConfigPbtxt(formatConfigPbtxt(config))).toEqual(config);
        }
      }
      // A plan needs a GPU and TensorRT's own backend.
      const served = id !== 'trt' || backends === 'all';
      expect(format.servedBy({ backends, precision: 'fp32', accelerator: 'none' }).ok).toBe(served);
    }
  });
});
