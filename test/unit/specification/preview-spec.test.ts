import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PerfOptions } from '../../../main/cli/perf/perf-options';
import { addPerfOptions, readPerfPlan } from '../../../main/cli/perf/perf-plan';
import { scenarioLevels } from '../../../main/contract/run/sweep';
import { filePreset } from '../../../main/own/own-preset';
import { readReplay } from '../../../main/perf/replay/read-replay';
import { hashValue } from '../../../main/platform/files';
import { resolveSpec } from '../../../main/presets/resolve-spec';
import { previewSpec } from '../../../main/specification/preview-spec';
import { parseConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import { repositorySource } from '../../support/repository-source';
import { choice, places, resnet50 } from './places';

/** Python model m of `repositorySource`, with an input that a request may lack. */
const withOptional = `backend: "python"
max_batch_size: 8
input [
  { name: "x" data_type: TYPE_FP32 dims: [ 3 ] },
  { name: "stream" data_type: TYPE_BOOL dims: [ 1 ] optional: true }
]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 3 ] } ]
`;

async function makeModel(path: string, code: string): Promise<void> {
  await mkdir(join(path, '1'), { recursive: true });
  await writeFile(join(path, '1', 'model.py'), code);
}

const preview = (overrides: Record<string, unknown> = {}) => previewSpec(resnet50, choice(overrides), places);
const fieldsOf = async (overrides: Record<string, unknown>) =>
  (await preview(overrides)).problems.map(({ field }) => field);

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'preview-'));
  await writeFile(join(dir, 'own.pt'), '');
});
afterAll(() => rm(dir, { recursive: true }));

describe('a preview', () => {
  it('of the defaults is a specification that runs', async () => {
    const { spec, specHash, defaults, problems, configPbtxt, generatedPbtxt, commands } = await preview();
    expect(problems).toEqual([]);
    expect(spec).toEqual(resolveSpec(resnet50.preset, {}));
    expect(specHash).toBe(hashValue(spec));
    expect(defaults).toEqual(spec);
    expect(configPbtxt).toBe(generatedPbtxt);
    expect(configPbtxt).toContain('preferred_batch_size: [ 4, 8 ]');
    expect(commands.length).toBeGreaterThan(0);
  });

  it('says of an empty list what it needs', async () => {
    const { problems } = await preview({ performance: { batchSizes: [], concurrency: [] } });
    expect(problems.map(({ field, message }) => [field, message])).toEqual([
      ['performance.batchSizes', 'Give at least one batch size'],
      ['performance.concurrency', 'Give at least one concurrency'],
    ]);
  });

  it('keeps the defaults of profile and precision beside what was changed', async () => {
    const { spec, defaults } = await preview({
      model: { profile: 'full' },
      precision: 'fp16',
      configure: { instances: 3 },
    });
    expect(defaults).toEqual(resolveSpec(resnet50.preset, { model: { profile: 'full' }, precision: 'fp16' }));
    expect([spec?.configure.instances, defaults?.configure.instances]).toEqual([3, 1]);
  });

  it('has the published defaults of a chosen GPU beside what was changed, and says where they are from', async () => {
    const chosen = { model: { profile: 'full' }, targetGpu: 'A40', configure: { instances: 3 } };
    const { spec, defaults, problems } = await preview(chosen);
    expect(problems.map(({ field, severity }) => [field, severity])).toEqual([['targetGpu', 'note']]);
    expect([spec?.configure.instances, defaults?.configure.instances]).toEqual([3, 1]);
    expect([spec?.configure.maxBatchSize, defaults?.configure.maxBatchSize]).toEqual([128, 128]);
    const here = await preview({ ...chosen, engine: { kind: 'local' } });
    expect([here.spec?.configure.maxBatchSize, here.defaults?.configure.maxBatchSize]).toEqual([128, 128]);
    expect([here.spec, here.defaults].map((spec) => spec?.configure.backendAccelerator)).toEqual([
      'none',
      'none',
    ]);
    // Another place than that of the GPU is a choice, not a default.
    expect([here.spec?.engine.kind, here.defaults?.engine.kind]).toEqual(['local', 'docker']);
  });

  it('tells the precision that is left out, with a GPU and without', async () => {
    const full = { model: { profile: 'full' }, precision: 'fp32' };
    const precisionOf = async (overrides: Record<string, unknown>) =>
      (await preview(overrides)).defaultPrecision;
    expect(await precisionOf({ precision: 'fp16' })).toBe('fp32');
    expect(await precisionOf({ ...full, targetGpu: 'A40' })).toBe('fp16');
    const local = { ...full, targetGpu: 'A40', engine: { kind: 'local' } };
    expect(await precisionOf(local)).toBe('fp16');
    expect(await precisionOf({ ...local, format: 'ts-trace' })).toBe('fp32');
    expect(await precisionOf({ model: { profile: 'none' } })).toBe('fp32');
  });

  it('shows what was edited by hand, and what it was without', async () => {
    const { configPbtxt, generatedPbtxt, problems } = await preview({
      configure: { configPatch: { responseCache: { enable: true } } },
    });
    expect(problems).toEqual([]);
    expect(parseConfigPbtxt(configPbtxt ?? '')['responseCache']).toEqual({ enable: true });
    expect(parseConfigPbtxt(generatedPbtxt ?? '')['responseCache']).toBeUndefined();
  });

  it('says what an edit by hand makes impossible, and still shows it', async () => {
    const { configPbtxt, problems } = await preview({ configure: { configPatch: { maxBatchSize: 99 } } });
    expect(problems.map(({ field }) => field)).toEqual(['configure.configPatch.max_batch_size']);
    expect(configPbtxt).toContain('max_batch_size: 99');
    const agents = await preview({
      configure: { configPatch: { modelRepositoryAgents: { agents: [{ name: 'evil' }] } } },
    });
    expect(agents.problems).toEqual([
      expect.objectContaining({
        field: 'configure.configPatch.model_repository_agents',
        severity: 'problem',
        message: expect.stringContaining('a library that Triton loads') as string,
        remedy: expect.stringContaining('Remove it') as string,
      }),
    ]);
    const unknown = await preview({ configure: { configPatch: { nothing: 1 } } });
    expect(unknown.problems.map(({ field }) => field)).toEqual(['configure.configPatch.nothing']);
  });

  it.each([
    [{ configure: { maxBatchSize: 'many' } }, ['configure.maxBatchSize']],
    [{ configure: 5 }, ['configure']],
    [{ configure: { instances: 0, colour: 'red' } }, ['configure.instances', 'configure.colour']],
    [{ configure: { preferredBatchSizes: [4, 0] } }, ['configure.preferredBatchSizes.1']],
    [{ model: { profile: 'medium' } }, ['model.profile']],
    [{ precision: 'fp64' }, ['precision']],
    [{ engine: { kind: 'moon' } }, ['engine.kind']],
    [{ accuracy: { thresholds: { top5: 'high' } } }, ['accuracy.thresholds.top5']],
    [{ accuracy: { atol: { '*': -1 } } }, ['accuracy.atol.*']],
    // The rules speak beside the schema.
    [
      { configure: { instances: 0, preferredBatchSizes: [99] } },
      ['configure.instances', 'configure.preferredBatchSizes'],
    ],
    [{ engine: { kind: 'remote' }, configure: { backendAccelerator: 'trt' } }, ['engine.url']],
    [
      {
        nothing: 1,
        configure: { backendAccelerator: 'trt', captureCudaGraph: true, instanceKind: 'KIND_GPU' },
      },
      ['nothing', 'configure.backendAccelerator', 'configure.instanceKind'],
    ],
  ])('of %j names every field', async (overrides, fields) => {
    const { spec, defaults, problems, specHash, configPbtxt, commands } = await preview(overrides);
    expect(problems.map(({ field }) => field)).toEqual(fields);
    expect([spec, specHash, configPbtxt, commands]).toEqual([null, null, null, []]);
    expect(defaults).not.toBeNull();
  });

  it('says of a number that config.pbtxt cannot hold which field has it, once', async () => {
    const { problems, configPbtxt } = await preview({ configure: { maxBatchSize: 99_999_999_999 } });
    expect(problems).toEqual([
      expect.objectContaining({
        ...{ field: 'configure.maxBatchSize', severity: 'problem', remedy: 'Use at most 2147483647.' },
        message: '99999999999 is too large: max_batch_size in config.pbtxt is an int32',
      }),
    ]);
    expect(configPbtxt).toBeNull();
  });

  it('looks for the files', async () => {
    const missing = join(dir, 'missing');
    expect(await fieldsOf({ model: { checkpoint: missing, dataset: missing } })).toEqual([
      'model.checkpoint',
      'model.dataset',
    ]);
    expect(await fieldsOf({ model: { checkpoint: join(dir, 'own.pt'), dataset: dir } })).toEqual([]);
    expect(await fieldsOf({ performance: { loadTool: 'perf_analyzer' } })).toEqual(['performance.loadTool']);
    expect(
      await fieldsOf({ performance: { loadTool: 'perf_analyzer' }, engine: { kind: 'docker' } }),
    ).toEqual([]);
  });

  it('says what is wrong with a file of input values, and shows where it is read', async () => {
    const file = join(dir, 'values.json');
    const of = async (inputDataFile: string) =>
      preview({ performance: { inputData: 'file', inputDataFile } });
    expect((await of(join(dir, 'nothing.json'))).problems.map(({ field }) => field)).toEqual([
      'performance.inputDataFile',
    ]);
    await writeFile(file, JSON.stringify({ data: [{ INPUT__0: [1, 2] }] }));
    const [found] = (await of(file)).problems;
    expect(found).toMatchObject({ field: 'performance.inputDataFile', severity: 'problem' });
    expect(found?.message).toContain(
      'data[0], INPUT__0: INPUT__0 has 2 values where FP32 [3, 64, 64] has 12288',
    );
    await writeFile(file, JSON.stringify({ data: [{ INPUT__0: Array<number>(12_288).fill(0) }] }));
    const { problems, commands } = await of(file);
    expect(problems).toEqual([]);
    expect(commands.some(({ step }) => step === 'profile-data')).toBe(false);
    expect(commands.find(({ step }) => step === 'online')?.argv).toContain(file);
  });

  it('checks input values of a repository as it is, whose optional inputs need none', async () => {
    const file = join(dir, 'requests.json');
    await makeModel(join(dir, 'm'), 'class TritonPythonModel: ...');
    const source = { ...repositorySource({ config: withOptional }), path: join(dir, 'm') };
    const loaded = { preset: filePreset(source), dir };
    const overrides = { model: { source }, performance: { inputData: 'file', inputDataFile: file } };
    const of = async (entry: object, mayRead?: (path: string) => Promise<boolean>) => {
      await writeFile(file, JSON.stringify({ data: [entry] }));
      const { problems } = await previewSpec(loaded, { preset: 'm', overrides }, places, mayRead);
      return problems.filter(({ field }) => field === 'performance.inputDataFile');
    };
    expect(await of({ x: [1, 2, 3] })).toEqual([]);
    expect(await of({ x: [1, 2, 3], stream: [true] })).toEqual([]);
    expect((await of({ x: [1, 2] }))[0]?.message).toContain('x has 2 values where FP32 [3] has 3');
    expect((await of({ stream: [true] }))[0]?.message).toContain('x');
    expect((await of({ x: [1, 2, 3], stream: ['yes'] }))[0]?.message).toContain('stream');
    // Without its code nobody knows what it adds.
    expect(await of({ x: [1, 2] }, (path) => Promise.resolve(path === file))).toEqual([]);
  });

  it('of a model whose size is no number has no configuration', async () => {
    const { problems, configPbtxt } = await preview({ model: { args: { classes: 'many' } } });
    expect(problems.map(({ field }) => field)).toEqual(['model.args.classes']);
    expect(configPbtxt).toBeNull();
  });
});

describe('the commands to come', () => {
  it('are those of every step, with what only the run has left open', async () => {
    const { commands } = await preview({ performance: { loadTool: 'native' } });
    expect(commands.map(({ step, argv }) => `${step} ${argv[3] ?? ''}`)).toEqual([
      'prepare-data make-dataset',
      'prepare-data train',
      'export export',
      'convert convert',
      'deploy --model-control-mode=explicit',
      'accuracy infer-framework',
      'accuracy infer-triton',
      'accuracy verify',
      'accuracy keep-samples',
      'accuracy metrics',
      'accuracy metrics',
      'profile-data profile-data',
      'offline http://127.0.0.1:<http-port>',
      'online http://127.0.0.1:<http-port>',
    ]);
    const [exported] = commands.filter(({ step }) => step === 'export');
    expect(exported?.argv.slice(0, 4)).toEqual([
      '/home/of/the/workbench/python/bin/python',
      '-m',
      'toolkit',
      'export',
    ]);
    expect(exported?.argv.slice(-2)).toEqual(['--output', '<run>/steps/export/model.onnx']);
    expect(exported?.argv).toContain('<run>/steps/prepare-data/checkpoint.pt');
    expect(commands.find(({ step }) => step === 'online')?.argv.join(' ')).toMatch(
      /^triton-workbench perf --url http:\/\/127.0.0.1:<http-port> .*--batch-sizes 1 --concurrency 1,2,4 /,
    );
  });

  it.each([
    ['rates', { requestRates: [10, 20], requestDistribution: 'poisson', requestSeed: 7, protocol: 'http' }],
    ['a search', { search: 'binary', latencyThresholdMs: 20, maxTrials: 5, checkOutputs: 'finite' }],
    [
      'windows',
      {
        measurementMode: 'count_windows',
        measurementRequestCount: 70,
        measurementIntervalMs: 2000,
        warmupMs: 0,
        repeats: 3,
      },
    ],
    ['memory', { sharedMemory: 'system', outputSharedMemoryBytes: 4096, crossCheck: true, repeats: 1 }],
    ['a stream', { streaming: true, stabilityPercentage: 2.5, measurementIntervalMs: 700 }],
  ])('are read by perf as they are meant: %s', async (_what, performance) => {
    const { spec, commands } = await preview({
      performance,
      engine: { kind: 'local', httpPort: 8000, grpcPort: 8001 },
    });
    const argv = commands.find(({ step }) => step === 'online')?.argv ?? [];
    const command = addPerfOptions(new Command('perf').exitOverride());
    command.parse(argv.slice(argv.indexOf('perf') + 1), { from: 'user' });
    const load = await readPerfPlan(command.opts<PerfOptions>(), readReplay);
    const { batchSizes, onlineBatchSize, concurrency, ...rest } = spec?.performance ?? {};
    expect(load.settings).toMatchObject({ ...rest, ...performance });
    expect([batchSizes, onlineBatchSize, concurrency]).not.toContain(undefined);
    expect(load.levels).toEqual(spec === null ? [] : scenarioLevels(spec.performance, 'online'));
  });

  it('convert a checkpoint first, and give its arguments to every later step', async () => {
    const { commands } = await preview({ model: { checkpoint: join(dir, 'own.pt') } });
    const ofToolkit = commands.filter(({ argv }) => argv[2] === 'toolkit');
    expect(ofToolkit.slice(0, 2).map(({ argv }) => argv[3])).toEqual(['load-checkpoint', 'make-dataset']);
    expect(ofToolkit[0]?.argv).toContain(join(dir, 'own.pt'));
    const file = '<run>/steps/prepare-data/checkpoint-arguments.json';
    for (const { argv } of ofToolkit.slice(1)) {
      // Neither knows the model folder.
      if (argv[3] === 'convert' || argv[3] === 'verify') continue;
      expect(argv.slice(argv.indexOf('--arguments-from')), argv[3]).toContain(file);
      expect(argv).not.toContain(join(dir, 'own.pt'));
    }
  });

  it('have one perf_analyzer a level', async () => {
    const { commands } = await preview({
      performance: { loadTool: 'perf_analyzer', batchSizes: [1, 4], concurrency: [2] },
      engine: { kind: 'local', grpcPort: 8001 },
    });
    const levels = commands.filter(({ step }) => step === 'offline' || step === 'online');
    expect(
      levels.map(({ argv }) => [argv[0], argv[argv.indexOf('-b') + 1], argv.at(argv.indexOf('-f') + 1)]),
    ).toEqual([
      [
        '/home/of/the/workbench/perf-analyzer/bin/perf_analyzer',
        '1',
        '<run>/steps/offline/b1-c1/perf_analyzer.csv',
      ],
      [
        '/home/of/the/workbench/perf-analyzer/bin/perf_analyzer',
        '4',
        '<run>/steps/offline/b4-c1/perf_analyzer.csv',
      ],
      [
        '/home/of/the/workbench/perf-analyzer/bin/perf_analyzer',
        '1',
        '<run>/steps/online/b1-c2/perf_analyzer.csv',
      ],
    ]);
    expect(levels[0]?.argv).toEqual(expect.arrayContaining(['127.0.0.1:8001', 'INPUT__0:3,64,64']));
  });

  it('are seen from inside in containers', async () => {
    const { commands } = await preview({
      engine: { kind: 'docker' },
      model: { checkpoint: join(dir, 'own.pt') },
    });
    const text = commands.map(({ argv }) => argv.join(' ')).join('\n');
    expect(text).toContain('python -m toolkit export --model-dir /workbench/resources/models/resnet50');
    expect(text).toContain('--checkpoint /workbench/input/checkpoint/own.pt');
    expect(text).toContain('tritonserver --model-repository=/models');
    expect(text).toContain('/workbench/run/steps/convert/model.onnx');
    expect(text).not.toContain('<run>');
    expect(text).not.toContain(places.resources);
  });

  it('let Triton take memory of its clients where its release has to be told', async () => {
    const server = async (engine: object) => {
      const { commands } = await preview({
        engine: { kind: 'docker', ...engine },
        performance: { sharedMemory: 'system', loadTool: 'perf_analyzer' },
      });
      return commands.find(({ step }) => step === 'deploy')?.argv;
    };
    expect(await server({ images: 'ngc', gpus: ['all'] })).toContain('--allow-client-shm=true');
    expect(await server({ images: 'ngc', gpus: ['all'], release: '25.02' })).not.toContain(
      '--allow-client-shm=true',
    );
    expect(await server({ images: 'cpu' })).not.toContain('--allow-client-shm=true');
  });

  it('start nothing where Triton runs already', async () => {
    const { commands } = await preview({
      engine: { kind: 'remote', url: 'http://localhost:9000?grpcPort=9005' },
    });
    expect(commands.some(({ step }) => step === 'deploy')).toBe(false);
    expect(commands.find(({ argv }) => argv.includes('infer-triton'))?.argv).toContain('localhost:9005');
  });
});

describe('a preview of a foreign choice with thousands of misfits', () => {
  const args = Object.fromEntries(Array.from({ length: 5000 }, (_unused, index) => [`k${index}`, [index]]));

  it('comes, with as many of them as a person can look through and the count of the rest', async () => {
    const { spec, problems, configPbtxt } = await preview({ model: { args }, configure: { instances: 3 } });
    expect(spec).toBeNull();
    expect(problems.filter(({ field }) => field.startsWith('model.args.'))).toHaveLength(100);
    expect(problems.map(({ message }) => message)).toContain('4900 more fields are invalid');
    expect(configPbtxt).toBeNull();
  });
});
