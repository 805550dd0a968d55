import { describe, expect, it } from 'vitest';
import { formatFacts } from '../../../../../main/contract/run/model-formats';
import type { Preset } from '../../../../../main/contract/run/preset';
import {
  accelerators,
  exportFormats,
  exportPrecisions,
  type RunSpec,
} from '../../../../../main/contract/run/run-spec';
import type { SpecProblem, StartProblem } from '../../../../../main/contract/run/spec-tools';
import { readAssignment, upstreamVariables } from '../../../../../main/contract/run/upstream-variables';
import { mergeTrees, type Tree } from '../../../../../main/contract/trees';
import { resolveSpec } from '../../../../../main/presets/resolve-spec';
import { pageOf } from '../../../../../renderer/stores/draft/wizard-page';
import { changesOf } from '../../../../../renderer/views/new-deployment/changes';
import { type Field, pathOf } from '../../../../../renderer/views/new-deployment/fields/field';
import { cliCommand, modelWords } from '../../../../../renderer/views/new-deployment/plan-text';
import {
  isAbout,
  pageState,
  problemsOf,
  problemText,
} from '../../../../../renderer/views/new-deployment/problems';
import { textProblem, valueText } from '../../../../../renderer/views/new-deployment/read-text';
import { type WizardModel, wizardModel } from '../../../../../renderer/views/new-deployment/wizard-model';
import { resnet50 } from '../../wizard/preset';

const defaults = resolveSpec(resnet50, {});

function modelOf(
  overrides: Tree,
  problems: readonly SpecProblem[] = [],
  spec: RunSpec | null = defaults,
  startProblems: readonly StartProblem[] = [],
  preset: Preset = resnet50,
): WizardModel {
  const preview = {
    spec,
    specHash: null,
    defaults,
    problems,
    configPbtxt: null,
    generatedPbtxt: null,
    commands: [],
  };
  const draft = {
    preset: 'resnet50',
    overrides,
    preview,
    spec,
    stale: true,
    edit: null,
    error: null,
    changing: null,
    plan: null,
  };
  return wizardModel(draft, preset, [preset], null, startProblems);
}

const fieldOf = (model: WizardModel, path: string): Field => {
  const field = model.fields.find((known) => pathOf(known) === path);
  if (field === undefined) throw new Error(`No field ${path}`);
  return field;
};

function refused(model: WizardModel, path: string, option: string): boolean {
  const { control } = fieldOf(model, path);
  return (
    control.kind === 'choice' && control.options.find(({ value }) => value === option)?.why !== undefined
  );
}

describe('a start that is refused', () => {
  const problem = (preflight?: true): StartProblem => ({
    ...{ field: 'engine.gpus', code: 'engine-unavailable', severity: 'problem' },
    ...{ message: 'GPU-1 requested, but this machine has no GPU', remedy: null },
    ...(preflight === undefined ? {} : { preflight }),
  });
  const other = { ...problem(), field: 'engine.httpPort' };
  const stateOf = (...found: StartProblem[]) => {
    const { ready, onlyPreflight } = modelOf({}, [], defaults, found);
    return { ready, onlyPreflight };
  };

  it.each([
    ['by nothing', [], { ready: true, onlyPreflight: false }],
    ['by the preflight', [problem(true)], { ready: false, onlyPreflight: true }],
    ['by something else', [problem()], { ready: false, onlyPreflight: false }],
    ['by both', [problem(true), other], { ready: false, onlyPreflight: false }],
  ])('%s can be started anyway or not', (_what, found, expected) => {
    expect(stateOf(...found)).toEqual(expected);
  });
});

describe('the picker of a checkpoint', () => {
  it('offers a folder too where TensorFlow’s are folders', () => {
    const pathKind = (preset: Preset) => {
      const model = modelOf({}, [], defaults, [], preset);
      const { control } = fieldOf(model, 'model.checkpoint');
      return control.kind === 'path' ? control.pathKind : null;
    };
    expect(pathKind(resnet50)).toBe('file');
    expect(pathKind({ ...resnet50, framework: 'tf' })).toBe('either');
  });
});

describe('the fields of the wizard', () => {
  it('are all that the specification has, each once', () => {
    const paths = ['local', 'docker', 'remote'].flatMap((kind) =>
      modelOf({ engine: { kind } }).fields.map(pathOf),
    );
    const known = new Set(
      paths.map((path) =>
        path.replace(/^(deadlines|model\.args|accuracy\.(atol|rtol|thresholds))\..*/, '$1'),
      ),
    );
    const ofSpec = Object.entries(defaults).flatMap(([part, value]) =>
      part === 'version' || part === 'deadlines' || typeof value !== 'object'
        ? [part]
        : Object.keys(value).map((name) => `${part}.${name}`),
    );
    const elsewhere = ['version', 'configure.configPatch'];
    expect(ofSpec.filter((path) => !known.has(path) && !elsewhere.includes(path))).toEqual([]);
    for (const path of [
      'engine.url',
      'engine.gpus',
      'engine.release',
      'engine.httpPort',
      'model.checkpoint',
      'model.dataset',
    ]) {
      expect(known).toContain(path);
    }
    const once = modelOf({ engine: { kind: 'docker' } }).fields.map(pathOf);
    expect(new Set(once).size).toBe(once.length);
  });

  it('name the variables that the published procedures have for them', () => {
    for (const field of modelOf({}).fields) {
      if (field.variable === undefined) continue;
      expect(upstreamVariables[field.variable]?.field, field.variable).toBe(pathOf(field));
    }
  });

  it('stand on the page of their part', () => {
    const paths = ['engine.gpus', 'targetGpu', 'precision', 'configure.threads', 'deadlines.export', ''];
    expect(paths.map(pageOf)).toEqual(['environment', 'model', 'export', 'configure', 'review', 'review']);
  });

  it('refuse the accelerators that the core refuses, and no others', () => {
    const engines: readonly Tree[] = [
      { kind: 'local' },
      { kind: 'docker' },
      { kind: 'docker', gpus: ['all'] },
      { kind: 'remote', url: 'http://a:8000' },
    ];
    const ofAllFormats = { ...resnet50, formats: [...exportFormats] };
    for (const engine of engines) {
      for (const format of exportFormats) {
        for (const precision of exportPrecisions) {
          // Refused for its precision, with whatever accelerator.
          if (formatFacts[format].fp32Only !== undefined && precision === 'fp16') {
            expect(refused(modelOf({ engine, format }), 'precision', precision)).toBe(true);
            continue;
          }
          // The PyTorch backend serves a package one sample at a time.
          const small = {
            configure: { maxBatchSize: 1, preferredBatchSizes: [1] },
            performance: { batchSizes: [1] },
          };
          for (const accelerator of accelerators) {
            const choice = { engine, format, precision, ...(format === 'pt2' ? small : {}) };
            if (format === 'trt' && !('gpus' in engine)) {
              // Refused as such, whatever the accelerator.
              expect(refused(modelOf(choice), 'format', format)).toBe(true);
              continue;
            }
            const here = refused(modelOf(choice), 'configure.backendAccelerator', accelerator);
            let byCore = false;
            try {
              resolveSpec(
                ofAllFormats,
                mergeTrees(choice, { configure: { backendAccelerator: accelerator } }),
              );
            } catch {
              byCore = true;
            }
            expect(here, JSON.stringify({ ...choice, accelerator })).toBe(byCore);
          }
        }
      }
    }
  });

  it('refuse what has no GPU, and dynamic batching without a batch', () => {
    const ngc = { engine: { kind: 'docker', images: 'ngc' } };
    expect(refused(modelOf(ngc), 'configure.backendAccelerator', 'trt')).toBe(true);
    expect(refused(modelOf(ngc), 'configure.instanceKind', 'KIND_GPU')).toBe(true);
    expect(refused(modelOf({ configure: { maxBatchSize: 0 } }), 'configure.batching', 'dynamic')).toBe(true);
    expect(refused(modelOf({}), 'configure.batching', 'dynamic')).toBe(false);
  });

  it('say which have no effect', () => {
    const idle = (overrides: Tree, path: string) => fieldOf(modelOf(overrides), path).idle;
    expect(idle({}, 'configure.maxQueueDelayUs')).toBeUndefined();
    expect(idle({ configure: { batching: 'static' } }, 'configure.maxQueueDelayUs')).toContain('dynamic');
    expect(idle({ format: 'ts-trace' }, 'onnxOpset')).toContain('ONNX');
    expect(idle({}, 'configure.captureCudaGraph')).toContain('TensorRT');
  });
});

describe('what was changed', () => {
  it('is what differs from the defaults under profile and precision', () => {
    const overrides = {
      precision: 'fp16',
      model: { profile: 'quick' },
      configure: { maxBatchSize: 8, instances: 2, configPatch: { a: { b: 1 } } },
    };
    const found = changesOf(resnet50, resolveSpec(resnet50, { precision: 'fp16' }), overrides);
    expect(found).toEqual([
      { keys: ['precision'], from: 'fp32', to: 'fp16' },
      { keys: ['configure', 'instances'], from: 1, to: 2 },
      { keys: ['configure', 'configPatch'], from: {}, to: { a: { b: 1 } } },
    ]);
    expect(modelOf(overrides).isChanged(['configure', 'maxBatchSize'])).toBe(false);
    expect(modelOf(overrides).isChanged(['configure', 'instances'])).toBe(true);
  });

  it('leads to the same specification on the command line', () => {
    const overrides = {
      model: { args: { width: '32' } },
      engine: { kind: 'docker', release: '26.07', gpus: ['all'] },
      accuracy: { atol: { OUTPUT__0: 0.5, '*': 0.25 } },
      performance: { batchSizes: [1, 2], concurrency: 'formula' },
    };
    const argv = cliCommand(['resnet50'], changesOf(resnet50, defaults, overrides));
    const command = argv
      .filter((_, index) => argv[index - 1] === '--set')
      .map(readAssignment)
      .reduce(mergeTrees, {});
    expect(resolveSpec(resnet50, command)).toEqual(resolveSpec(resnet50, overrides));
  });

  it('is a model file by its path on the command line, with real changes only', () => {
    const source = {
      kind: 'onnx',
      path: '/models/scene.onnx',
      title: 'scene',
      inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3], sample: [1, 3] }],
      outputs: [],
      batched: true,
    };
    const overrides = { model: { source }, performance: { batchSizes: [1, 2] } };
    const changes = changesOf(resnet50, defaults, overrides);
    expect(changes.map(({ keys }) => keys.join('.'))).toEqual(['performance.batchSizes']);
    const command = ['triton-workbench', 'run', '/models/scene.onnx'];
    expect(cliCommand(modelWords('scene', source), [])).toEqual(command);
    expect(cliCommand(modelWords('scene', source), changes)).toEqual([
      ...command,
      '--set',
      'performance.batchSizes=[1,2]',
    ]);
    expect(modelWords('scene', { ...source, kind: 'torchscript' }).slice(1)).toEqual(['--shape', 'x=1,3']);
    expect(modelWords('resnet50', undefined)).toEqual(['resnet50']);
  });

  it('is shown before the core has answered, over the schema’s own defaults', () => {
    const model = modelOf({ engine: { kind: 'docker' }, format: 'ts-trace' });
    expect(model.valueAt(['format'])).toBe('ts-trace');
    expect(model.valueAt(['engine', 'shmSizeMiB'])).toBe(1024);
    expect(model.defaultOf(['engine', 'shmSizeMiB'])).toBe(1024);
  });
});

describe('problems', () => {
  const problem = (
    field: string,
    message: string,
    severity: 'problem' | 'warning' = 'problem',
  ): SpecProblem => ({
    field,
    message,
    severity,
    remedy: null,
  });

  it('are about a field and its parts', () => {
    expect(isAbout({ field: 'performance.batchSizes.1' }, 'performance.batchSizes')).toBe(true);
    expect(isAbout({ field: 'performance.batchSizesX' }, 'performance.batchSizes')).toBe(false);
    expect(problemText(problem('a.b', 'a.b: too large'))).toBe('too large');
  });

  it('say of a text that cannot be read what is wrong with it, in place of the core’s words', () => {
    const overrides = { performance: { batchSizes: '1, many' } };
    const found = modelOf(overrides, [
      problem('performance.batchSizes', 'expected array'),
      problem('format', 'no'),
    ]).problems;
    expect(found.map(({ message }) => message)).toEqual(['“many” is not a whole number of at least 1', 'no']);
  });

  it('keep the run back, and warnings do not', () => {
    expect(modelOf({}).ready).toBe(true);
    expect(modelOf({}, [problem('precision', 'slow', 'warning')]).ready).toBe(true);
    expect(modelOf({}, [problem('precision', 'no')]).ready).toBe(false);
    expect(modelOf({}, [], null).ready).toBe(false);
  });

  it('make a page need input only where something was not given', () => {
    const url = problem('engine.url', 'Required');
    const value = (given: unknown) => () => given;
    expect(pageState('environment', [url], value(undefined), true).state).toBe('needs-input');
    expect(pageState('environment', [url], value('ftp://x'), true).state).toBe('problem');
    expect(pageState('environment', [problem('engine.gpus', 'old', 'warning')], value([]), true).state).toBe(
      'warning',
    );
    const note: SpecProblem = { ...problem('targetGpu', 'of the document'), severity: 'note' };
    expect(pageState('environment', [note], value('A40'), true)).toEqual({
      state: 'valid',
      problems: 0,
      warnings: 0,
    });
    expect(pageState('model', [url], value(undefined), true)).toEqual({
      state: 'valid',
      problems: 0,
      warnings: 0,
    });
  });

  it('leave a page that nobody has opened without a tick, and mark the review wherever they are', () => {
    const url = problem('engine.url', 'Required');
    const none = () => undefined;
    expect(pageState('model', [url], none, false).state).toBe('unvisited');
    expect(pageState('environment', [problem('engine.url', 'no')], () => 'x', false).state).toBe('problem');
    expect(pageState('review', [url], none, true)).toEqual({ state: 'problem', problems: 1, warnings: 0 });
    expect(pageState('review', [problem('precision', 'slow', 'warning')], none, true).state).toBe('warning');
  });

  it('include the text of config.pbtxt that is half written', () => {
    const [found] = problemsOf([], {}, null, { message: 'unknown field', line: 3 });
    expect(found?.message).toBe('Line 3: unknown field');
    expect(pageOf(found?.field ?? '')).toBe('configure');
  });
});

describe('texts of fields', () => {
  it('are read as what the field holds', () => {
    const list = { kind: 'integers', mayBeEmpty: false } as const;
    expect(textProblem(list, '1, 2')).toBeNull();
    expect(textProblem(list, '')).toBe('Enter at least one whole number');
    for (const bad of ['x', '1.5', '-1', '0', '1e3', '99999999999'])
      expect(textProblem(list, `1, ${bad}`)).toContain(bad);
    const rates = { kind: 'numbers', placeholder: '' } as const;
    for (const good of ['', '0.05, 2', '1e3']) expect(textProblem(rates, good)).toBeNull();
    for (const bad of ['x', '0', '-1', 'Infinity']) expect(textProblem(rates, `1, ${bad}`)).toContain(bad);
    expect(textProblem({ kind: 'sweep' }, 'formula')).toBeNull();
    expect(textProblem({ kind: 'sweep' }, 'form')).toContain('form');
    expect(textProblem({ kind: 'decimal' }, '1e-4')).toBeNull();
    expect(textProblem({ kind: 'decimal' }, '-1')).toContain('-1');
    expect(textProblem({ kind: 'text', placeholder: '' }, 'anything')).toBeNull();
  });

  it('of ports, seeds, versions and ids are names', () => {
    const names = ['local', 'docker'].flatMap((kind) =>
      modelOf({ engine: { kind } })
        .fields.filter((field) => /(Port|Seed|Version|Id)$/.test(pathOf(field)))
        .map((field) => [pathOf(field), field.control.kind === 'integer' && field.control.isName] as const),
    );
    expect(new Set(names.map(([path]) => path))).toContain('engine.httpPort');
    expect(names.filter(([, isName]) => isName !== true)).toEqual([]);
  });

  it('are shown for people', () => {
    expect([[1, 2], [], true, '', undefined, 0, { a: 1 }].map(valueText)).toEqual([
      '1, 2',
      'none',
      'on',
      '—',
      '—',
      '0',
      '{"a":1}',
    ]);
  });
});
