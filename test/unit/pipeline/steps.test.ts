import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StepId } from '../../../main/contract/run/run-events';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import { launchServer } from '../../../main/engine/local/server-process';
import { createPerfAnalyzerTool } from '../../../main/perf/perf-analyzer.load-tool';
import type { RunContext, StepContext } from '../../../main/pipeline/step';
import { plannedCommands, steps } from '../../../main/pipeline/steps';
import { type LoadedPreset, readPresets } from '../../../main/presets/presets';
import { signatureOf } from '../../../main/presets/signature';
import { readChoice, servedSignature } from '../../../main/specification/read-choice';
import { runFolder } from '../../../main/store/run-folder';
import { type Toolkit, toolkitWords } from '../../../main/toolkit/toolkit';
import { runCreated } from '../../support/run-state';
import { choice, commandPlaces, resources } from '../specification/places';

const presets = readPresets(resources);
/** A perf_analyzer that fails at once: every level is tried, and none is measured. */
const places = { ...commandPlaces, layout: { ...commandPlaces.layout, perfAnalyzer: '/bin/false' } };

let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'planned-commands-'));
});
afterAll(() => rm(home, { recursive: true }));

/** What a toolkit verb would give, as far as its step looks. */
const resultOf = (preset: LoadedPreset, spec: RunSpec, verb = 'convert'): unknown => ({
  ...{ path: 'model', bytes: 1, samples: 8, count: 8, trained: true, metrics: {} },
  ...{ outputs: [], batches: [], gathered: [] },
  ...(verb === 'export' ? signatureOf(preset.preset, spec) : {}),
  ...(verb === 'convert' ? servedSignature(preset, spec) : {}),
});

/** The size that samples have where the model takes any; before there is a sample it is not known. */
const varying = 73;

/** The samples that profile-data would leave for the load tools. */
async function writeSamples(dir: string, preset: LoadedPreset, spec: RunSpec): Promise<void> {
  const tensors = servedSignature(preset, spec).inputs.map(({ name, datatype, shape }) => ({
    ...{
      name,
      datatype,
      shape: shape.slice(1).map((size) => (size === -1 ? varying : size)),
      files: [`${name}.bin`],
    },
  }));
  await mkdir(dir, { recursive: true });
  for (const { files } of tensors) await writeFile(join(dir, files[0] ?? ''), '');
  await writeFile(join(dir, 'input-data.json'), JSON.stringify({ source: 'random', tensors }));
}

/** Runs the steps on a machine where every program is noted in place of being started. */
async function ran(preset: LoadedPreset, spec: RunSpec, ids: readonly StepId[]) {
  const dir = await mkdtemp(join(home, 'run-'));
  const folder = runFolder(dir);
  await writeSamples(folder.step('profile-data'), preset, spec);
  const noted: { step: StepId; argv: readonly string[] }[] = [];
  const silent = () => undefined;
  const toolkit: Toolkit = {
    call: async (command, schema, listener) => {
      await listener.command([places.layout.python, ...toolkitWords(command)]);
      return schema.parse(resultOf(preset, spec, command.verb));
    },
  };
  const forClients = { httpAddress: '127.0.0.1:<http-port>', grpcAddress: '127.0.0.1:<grpc-port>' };
  const tool = createPerfAnalyzerTool({ binary: places.layout.perfAnalyzer, libraryPath: '', env: {} });
  const keys = Object.fromEntries(steps.map(({ id }) => [id, id]));
  const run = {
    ...{ runId: 'r', folder, spec, preset, keys, state: () => runCreated() },
    append: () => Promise.resolve(),
    ...{ emit: silent, holdOf: () => Promise.resolve(null), pauseAsked: () => false },
    server: { forClients, exited: new Promise(() => undefined), pid: null },
    services: { toolkit, resources, loadTools: { perf_analyzer: tool } },
  } as unknown as RunContext;
  for (const step of steps.filter(({ id }) => ids.includes(id))) {
    const context = {
      ...{ run, spec, dir: folder.step(step.id), signal: new AbortController().signal },
      ...{ log: silent, progress: silent, fact: silent, warning: silent },
      command: (argv: readonly string[]) => {
        noted.push({ step: step.id, argv: argv.map((word) => word.replaceAll(dir, '<run>')) });
        return Promise.resolve();
      },
      output: () => Promise.resolve(resultOf(preset, spec)),
    } as unknown as StepContext;
    await mkdir(context.dir, { recursive: true });
    // A sweep ends with its holes.
    await step.run(context).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'measurement-failed' });
    });
  }
  return noted;
}

function specOf(preset: LoadedPreset, overrides: Record<string, unknown>): RunSpec {
  const { spec, problems } = readChoice(preset.preset, { ...choice(overrides), preset: preset.preset.id });
  if (spec === null) throw new Error(JSON.stringify(problems));
  return spec;
}

const planned = (preset: LoadedPreset, spec: RunSpec, ids: readonly StepId[]) =>
  plannedCommands(preset, spec, places).filter(({ step }) => ids.includes(step));

const ofToolkit = ['prepare-data', 'export', 'convert', 'accuracy', 'profile-data'] as const;

/** TensorFlow runs in an environment of its own. */
const onePython = (commands: readonly { step: StepId; argv: readonly string[] }[]) =>
  commands.map(({ step, argv }) => ({ step, argv: [places.layout.python, ...argv.slice(1)] }));

describe.each([...presets])('what a run of %s will run is what it runs', (_id, preset) => {
  it.each<[string, Record<string, unknown>]>([
    ['by default', {}],
    ['at full size', { model: { profile: 'full' } }],
    ['with data and weights of one’s own', { model: { dataset: '/my/data', checkpoint: '/my/weights' } }],
  ])('%s, of the toolkit', async (_name, overrides) => {
    const spec = specOf(preset, overrides);
    const commands = onePython(planned(preset, spec, ofToolkit));
    expect(commands.length).toBeGreaterThan(5);
    expect(await ran(preset, spec, ofToolkit)).toEqual(commands);
  });

  it.each<[string, Record<string, unknown>, object]>([
    ['a level each', {}, {}],
    ['every repeat', { repeats: 2 }, {}],
    ['request rates', { requestRates: [10, 20] }, {}],
    ['without batching', { batchSizes: [1] }, { batching: 'disabled', preferredBatchSizes: [] }],
  ])('with perf_analyzer, %s', async (_name, performance, configure) => {
    const levels = { batchSizes: [1, 2], concurrency: [1], loadTool: 'perf_analyzer', ...performance };
    const spec = specOf(preset, { performance: levels, configure });
    const commands = planned(preset, spec, ['offline', 'online']);
    expect(commands.length).toBeGreaterThan(1);
    const known = commands.map(({ step, argv }) => ({
      step,
      argv: argv.map((word) => word.replace(/(?<=^INPUT.*[:,])-1/, String(varying))),
    }));
    expect(await ran(preset, spec, ['offline', 'online'])).toEqual(known);
  });
});

it.each([{}, { httpPort: 1, grpcPort: 2 }])(
  'the local Triton with %j is planned as it is started',
  async (ports) => {
    const [preset] = presets.values();
    if (preset === undefined) throw new Error('no preset');
    const dir = await mkdtemp(join(home, 'server-'));
    const spec = specOf(preset, { engine: { kind: 'local', ...ports } });
    const started: (readonly string[])[] = [];
    await mkdir(runFolder(dir).step('deploy'), { recursive: true });
    const server = await launchServer({
      program: {
        toolchain: {
          ...{ program: '/bin/false', backends: places.layout.tritonBackends },
          ...{ pythonBin: '/', sitePackages: '/', libraryPath: [] },
        },
      },
      env: {},
      records: join(dir, 'engines'),
      start: {
        ...{ runId: 'r', key: 'k', repository: runFolder(dir).repository },
        logPath: join(runFolder(dir).step('deploy'), 'triton.log'),
        ...{ httpPort: undefined, grpcPort: undefined, ...ports, signal: new AbortController().signal },
        onLog: () => undefined,
        onCommand: (argv) => started.push(argv),
      },
    });
    await server.exited;
    const programs = { ...places.layout, tritonServer: '/bin/false' };
    const commands = plannedCommands(preset, spec, { ...places, layout: programs });
    const named = (argv: readonly string[] | undefined) =>
      argv?.map((word) => word.replaceAll(dir, '<run>').replace(/(?<=prefix-name=).*/, 'its id'));
    expect(started.map(named)).toEqual([named(commands.find(({ step }) => step === 'deploy')?.argv)]);
  },
);

it('a step that starts no program plans none', () => {
  const [preset] = presets.values();
  if (preset === undefined) throw new Error('no preset');
  const spec = specOf(preset, { engine: { kind: 'docker' } });
  const programs = new Set(plannedCommands(preset, spec, places).map(({ step }) => step));
  const without = steps.map(({ id }) => id).filter((id) => !programs.has(id));
  expect(without).toEqual(['images', 'configure', 'report']);
});
