import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PublishedGpu, publishedGpuOf } from '../../../main/contract/run/run-spec';
import { ofScenarios } from '../../../main/contract/run/sweep';
import { readPresets, readPublished, requirePreset } from '../../../main/presets/presets';
import { layerSpec, parseSpec, procedureDifferences, resolveSpec } from '../../../main/presets/resolve-spec';
import { ruleFindings } from '../../../main/presets/spec-rules';

const resources = join(process.cwd(), 'resources');
const presets = readPresets(resources);
const presetOf = (id: string) => requirePreset(presets, id).preset;
const full = { model: { profile: 'full' } };

const tables = (
  await Promise.all(
    [...presets.keys()].map(async (id) => ({ id, published: await readPublished(resources, id) })),
  )
).flatMap(({ id, published }) => (published?.tables ?? []).map((table) => ({ id, table })));

describe('the defaults of a published GPU', () => {
  it('lead to the loads, format, precision and accelerator of every published table, on that very GPU', () => {
    expect(tables).toHaveLength(88);
    for (const { id, table } of tables) {
      const { gpu, format, precision, accelerator, levels } = table;
      const spec = resolveSpec(presetOf(id), { ...full, targetGpu: gpu, format, precision });
      const { batchSizes, concurrency, onlineBatchSize } = spec.performance;
      const [batches, loads] = [0, 1].map((column) => levels.map((level) => level[column]));
      if (table.scenario === 'offline') expect(batchSizes).toEqual(batches);
      else {
        expect([id, gpu, concurrency]).toEqual([id, gpu, loads]);
        expect(new Set(batches)).toEqual(new Set([onlineBatchSize]));
      }
      expect(spec.configure.instanceKind).toBe('KIND_GPU');
      if (accelerator !== null) expect(spec.configure.backendAccelerator).toBe(accelerator);
    }
  });

  it('are there for every GPU that has a table, and for no other', () => {
    for (const [id, { preset }] of presets) {
      const published = new Set(tables.filter((known) => known.id === id).map(({ table }) => table.gpu));
      expect(new Set(Object.keys(preset.byGpu ?? {}))).toEqual(published);
    }
  });

  it.each([
    ['resnet50', 'A40', 'onnx', 'fp16', 128, 1, 'trt', undefined],
    ['tft', 'A30', 'trt', 'fp16', 1024, 2, 'none', 10_000_000_000],
    ['fastpitch', 'V100', 'ts-trace', 'fp16', 8, 2, 'cuda', undefined],
    ['wide-and-deep', 'T4', 'tf-savedmodel', 'fp32', 131_072, 2, 'amp', undefined],
    ['nnunet', 'A100', 'ts-script', 'fp16', 4, 1, 'cuda', undefined],
  ] as const)(
    'of %s on %s are the published ones',
    (id, gpu, format, precision, batch, instances, accelerator, workspace) => {
      const spec = resolveSpec(presetOf(id), { ...full, targetGpu: gpu });
      expect(spec).toMatchObject({ format, precision, targetGpu: gpu });
      expect(spec.engine).toMatchObject({ kind: 'docker', gpus: ['idlest'] });
      expect(spec.configure).toMatchObject({
        maxBatchSize: batch,
        instances,
        backendAccelerator: accelerator,
      });
      expect(spec.tensorrt?.maxWorkspaceBytes).toBe(workspace);
    },
  );

  it('have the workspace of each plan', () => {
    const workspace = (id: string, targetGpu: PublishedGpu) =>
      resolveSpec(presetOf(id), { ...full, targetGpu, format: 'trt' }).tensorrt?.maxWorkspaceBytes;
    expect(workspace('resnet50', 'T4')).toBe(2 ** 30);
    expect(workspace('tft', 'T4')).toBe(10_000_000_000);
    expect(workspace('wide-and-deep', 'A30')).toBe(2 ** 33);
    expect(workspace('nnunet', 'V100')).toBe(2 ** 32);
  });

  it("pass the volumes of nnU-Net through shared memory: CUDA in containers, the system's on this machine", () => {
    const load = (overrides: object) => resolveSpec(presetOf('nnunet'), { ...overrides }).performance;
    const cuda = {
      sharedMemory: 'cuda',
      loadTool: 'perf_analyzer',
      outputSharedMemoryBytes: 4 * 8 * 128 ** 3,
    };
    expect(load({ ...full, targetGpu: 'A40' })).toMatchObject(cuda);
    const remote = { kind: 'remote', url: 'http://triton.example:8000' };
    expect(load({ ...full, targetGpu: 'A40', engine: remote }).sharedMemory).toBe('none');
    expect(load({}).sharedMemory).toBe('system');
    expect(load(full).sharedMemory).toBe('system');
    expect(load({ engine: { kind: 'docker' } }).sharedMemory).toBe('none');
  });

  it('give way to what is chosen', () => {
    const chosen = { ...full, targetGpu: 'A30', precision: 'fp32', performance: { concurrency: [3] } };
    const spec = resolveSpec(presetOf('tft'), chosen);
    expect([spec.precision, spec.performance.concurrency, spec.configure.maxBatchSize]).toEqual([
      'fp32',
      [3],
      1024,
    ]);
  });
});

describe('a chosen GPU', () => {
  const findings = (id: string, overrides: object) =>
    ruleFindings(presetOf(id), parseSpec(layerSpec(presetOf(id), { ...overrides }))).filter(
      ({ field }) => field === 'targetGpu',
    );

  it('says which document its defaults come from', () => {
    for (const [id, { preset }] of presets) {
      for (const targetGpu of Object.keys(preset.byGpu ?? {})) {
        const [finding, ...more] = findings(id, { ...full, targetGpu });
        expect(more).toEqual([]);
        expect(finding?.severity).toBe('note');
        expect(finding?.message).toContain(
          `published for ${targetGpu}: github.com/NVIDIA/DeepLearningExamples`,
        );
      }
    }
  });

  it('changes nothing for the small model, and says so', () => {
    const quick = { model: { profile: 'quick' } };
    const without = resolveSpec(presetOf('resnet50'), quick);
    expect(resolveSpec(presetOf('resnet50'), { ...quick, targetGpu: 'A40' })).toEqual({
      ...without,
      targetGpu: 'A40',
    });
    expect(findings('resnet50', { ...quick, targetGpu: 'A40' })[0]?.message).toContain(
      'apply only to the profile full',
    );
  });

  const cpu = [{ kind: 'local' }, { kind: 'docker', images: 'cpu' }, { kind: 'docker', gpus: [] }];

  it('gives its loads where no GPU serves, on the engine that is chosen, and names what needs the GPU', () => {
    const overrides = { ...full, targetGpu: 'A40' };
    for (const engine of cpu) {
      const spec = resolveSpec(presetOf('resnet50'), { ...overrides, engine });
      const published = resolveSpec(presetOf('resnet50'), overrides);
      expect(spec.engine).toEqual(resolveSpec(presetOf('resnet50'), { ...full, engine }).engine);
      // The published load tool is that of the containers.
      expect(spec.performance).toEqual({ ...published.performance, loadTool: 'native' });
      expect([spec.format, spec.precision]).toEqual(['onnx', 'fp16']);
      expect(spec.configure).toEqual({
        ...published.configure,
        instanceKind: 'KIND_AUTO',
        backendAccelerator: 'none',
      });
      expect(findings('resnet50', { ...overrides, engine })[0]?.message).toMatch(
        /instances of KIND_GPU and the backend accelerator "trt" need the GPU and are not used$/,
      );
    }
  });

  it.each([...presets.keys()])('leads to what a CPU serves: %s', (id) => {
    const { preset } = requirePreset(presets, id);
    for (const targetGpu of Object.keys(preset.byGpu ?? {})) {
      for (const engine of cpu) {
        const overrides = { ...full, targetGpu, engine };
        const of = (chosen: object) =>
          ruleFindings(preset, parseSpec(layerSpec(preset, { ...chosen })))
            .filter(({ severity, field }) => severity !== 'note' && field !== 'engine.images')
            .map(({ field }) => field);
        expect([targetGpu, engine, of(overrides)]).toEqual([targetGpu, engine, of({ ...full, engine })]);
      }
    }
  });

  it('keeps format, precision and tolerances of the profile where the published ones need the GPU', () => {
    const engine = { kind: 'local' };
    const tft = resolveSpec(presetOf('tft'), { ...full, engine, targetGpu: 'A30' });
    expect([tft.format, tft.configure.maxBatchSize]).toEqual(['onnx', 1024]);
    expect(findings('tft', { ...full, engine, targetGpu: 'A30' })[0]?.message).toContain('the format trt');
    const own = resolveSpec(presetOf('fastpitch'), { ...full, engine });
    const speech = resolveSpec(presetOf('fastpitch'), { ...full, engine, targetGpu: 'A40' });
    expect([speech.precision, speech.accuracy]).toEqual(['fp32', own.accuracy]);
  });

  it('that nothing is published of is refused with those that are', () => {
    expect(() => resolveSpec(presetOf('resnet50'), { ...full, targetGpu: 'A30' })).toThrow(
      expect.objectContaining({ code: 'combination-unsupported', where: 'targetGpu' }),
    );
    expect(findings('resnet50', { targetGpu: 'A30' })[0]?.remedy).toBe(
      'Choose A40, A100, V100, T4, or none.',
    );
    expect(() => resolveSpec(presetOf('resnet50'), { targetGpu: 'H200' })).toThrow(
      expect.objectContaining({ code: 'spec-invalid', where: 'targetGpu' }),
    );
  });

  it.each([
    ['NVIDIA A30', 'A30'],
    ['NVIDIA A40', 'A40'],
    ['NVIDIA A100-SXM4-80GB', 'A100'],
    ['NVIDIA A100 80GB PCIe', 'A100'],
    ['Tesla V100-SXM2-32GB', 'V100'],
    ['Tesla T4', 'T4'],
    ['NVIDIA A30 MIG 1g.6gb', null],
    ['NVIDIA RTX A4000', null],
    ['NVIDIA T400', null],
    ['NVIDIA H200', null],
  ])('is recognised by the name %s', (name, gpu) => {
    expect(publishedGpuOf(name)).toBe(gpu);
  });
});

describe('a choice that says a part of the engine', () => {
  it('is of the containers that a published GPU asks for', () => {
    const nnunet = { ...full, targetGpu: 'A40' };
    const whole = resolveSpec(presetOf('nnunet'), { ...nnunet, engine: { kind: 'docker', shmSizeMiB: 512 } });
    const part = resolveSpec(presetOf('nnunet'), { ...nnunet, engine: { shmSizeMiB: 512 } });
    expect(part).toEqual(whole);
    expect(part.performance.sharedMemory).toBe('cuda');
  });

  it('of a server elsewhere has no plan for a default, and all else that is published', () => {
    const remote = { kind: 'remote', url: 'http://triton:8000' };
    const spec = resolveSpec(presetOf('tft'), { ...full, targetGpu: 'A30', engine: remote });
    expect(spec.format).toBe('onnx');
    expect(spec.configure.maxBatchSize).toBe(1024);
  });
});

describe('the published procedure', () => {
  const loads = (preset: string, overrides = {}) => {
    const { performance } = resolveSpec(presetOf(preset), {
      model: { profile: 'full' },
      targetGpu: 'A100',
      ...overrides,
    });
    return ofScenarios(performance).map(({ loadTool, protocol, sharedMemory, measurementRequestCount }) => [
      loadTool,
      protocol,
      sharedMemory,
      measurementRequestCount,
    ]);
  };

  it.each([
    ['tft', 'system', 'none', 500, 500],
    ['wide-and-deep', 'system', 'none', 100, 500],
    ['fastpitch', 'none', 'none', 50, 50],
    ['resnet50', 'none', 'none', 50, 50],
    ['nnunet', 'cuda', 'cuda', 50, 50],
  ])('of %s passes tensors by %s offline and %s online', (preset, offline, online, first, second) => {
    expect(loads(preset)).toEqual([
      ['perf_analyzer', 'http', offline, first],
      ['perf_analyzer', 'http', online, second],
    ]);
  });

  const differences = (overrides: object) => {
    const preset = presetOf('tft');
    const choice = { model: { profile: 'full' }, targetGpu: 'A100', ...overrides };
    return procedureDifferences(preset, resolveSpec(preset, choice));
  };

  it('is told where a run differs from it', () => {
    expect(differences({})).toEqual([]);
    expect(differences({ performance: { loadTool: 'native', protocol: 'grpc' } })).toEqual([
      'Load tool: Built-in load generator; published: perf_analyzer',
      'Protocol: gRPC; published: HTTP',
    ]);
    expect(differences({ performance: { offline: { sharedMemory: 'none' } } })).toEqual([
      'Shared memory, offline: None; published: System',
    ]);
    expect(differences({ engine: { kind: 'docker', gpus: ['GPU-a', 'GPU-b'] } })).toEqual([
      'Model instances: 2 GPUs × 2 instances = 4; published: 2 on 1 GPU',
    ]);
  });

  it('is of a GPU: without one nothing differs', () => {
    const preset = presetOf('tft');
    expect(procedureDifferences(preset, resolveSpec(preset, { model: { profile: 'full' } }))).toEqual([]);
  });
});
