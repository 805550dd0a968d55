import { describe, expect, it } from 'vitest';
import { readAssignment } from '../../../main/contract/run/upstream-variables';
import { readPresets } from '../../../main/presets/presets';
import { importSpec } from '../../../main/specification/import-spec';
import { previewSpec } from '../../../main/specification/preview-spec';
import { parseShellEnvironment } from '../../../main/specification/shell-environment';
import { createSpecTools } from '../../../main/specification/spec-tools';
import { choice, places, resnet50, resources } from './places';
import {
  forecastRunner,
  forecastVariables,
  recommendationRunner,
  segmentationVariables,
  speechVariables,
} from './published';

const read = (text: string, fileName = '') => importSpec(resnet50, text, fileName);
const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

describe('a shell file', () => {
  it('of the published FastPitch deployment', () => {
    expect(read(speechVariables)).toEqual({
      source: 'shell-environment',
      choice: choice({
        format: 'ts-trace',
        precision: 'fp16',
        performance: { batchSizes: [1, 2, 4, 8] },
        configure: {
          backendAccelerator: 'cuda',
          maxBatchSize: 8,
          instances: 2,
          maxQueueDelayUs: 1,
          preferredBatchSizes: [4, 8],
        },
      }),
      notes: [expect.stringMatching(/^SEQUENCE_LENGTH: .*left out/)],
    });
  });

  it('of the published nnU-Net deployment leads to a run on a GPU', async () => {
    const { choice: imported, notes } = read(segmentationVariables, 'setup_parameters.sh');
    expect(notes).toEqual([]);
    const engine = { kind: 'docker', gpus: ['all'] };
    const onlineSweep = { concurrency: 'formula', ...(imported?.overrides['performance'] as object) };
    const { spec, problems } = await previewSpec(
      resnet50,
      choice({ ...imported?.overrides, engine, performance: onlineSweep }),
      places,
    );
    expect(problems).toEqual([]);
    expect(spec?.format).toBe('ts-script');
    expect(spec?.configure).toMatchObject({
      maxBatchSize: 4,
      preferredBatchSizes: [2, 4],
      maxQueueDelayUs: 1,
    });
  });

  it('of the published forecasting deployment says what it takes otherwise', () => {
    const { choice: imported, notes } = read(forecastVariables);
    expect(imported?.overrides).toEqual({
      format: 'trt',
      precision: 'fp16',
      configure: {
        modelName: 'TFT',
        backendAccelerator: 'none',
        instances: 2,
        captureCudaGraph: false,
        maxQueueDelayUs: 1,
        maxBatchSize: 1024,
        preferredBatchSizes: [512, 1024],
        instanceKind: 'KIND_GPU',
      },
      performance: { batchSizes: sizes, measurementRequestCount: 500, measurementMode: 'count_windows' },
    });
    const all = notes.join('\n');
    expect(all).not.toMatch(/FORMAT/);
    expect(all).toMatch(/^WORKDIR: it is the output of a command/m);
    expect(all).toMatch(/DATASETS_DIR, WORKSPACE_DIR: it depends on WORKDIR/);
    expect(all).toMatch(/DATASET: /);
    expect(all).toMatch(/MODEL_NAME=TFT: used as the name on Triton/);
    expect(all).not.toMatch(/ENSEMBLE_MODEL_NAME|TRITON_INSTANCES|LOAD_MODEL_METHOD|FORMAT_SUFFIX/);
  });

  it('is read as a shell would, and nothing in it is run', () => {
    const text = [
      'A=1 B="two  words" # comment',
      'export C=\'$A\' D=$A-${B} E="${A}x"',
      'F=${NONE:-fall back} G=${A:-no} H=${NONE:=set}',
      'SIZES=(1 2',
      '  "4 8")',
      'LONG=a\\',
      'b',
      'export OUT=$(rm -rf /) AFTER=1',
      'TICK=`id`',
      'GONE=$MISSING',
      'OPEN=${A',
      'if true; then A=9; fi',
      'for i in 1 2; do',
      '  A=$i',
      'done',
      'declare -x Z=last',
    ].join('\n');
    const { variables, unknown } = parseShellEnvironment(text);
    expect(Object.fromEntries(variables)).toEqual({
      A: '1',
      B: 'two  words',
      C: '$A',
      D: '1-two  words',
      E: '1x',
      F: 'fall back',
      G: '1',
      H: 'set',
      SIZES: '1 2 4 8',
      LONG: 'ab',
      Z: 'last',
    });
    expect([...unknown.keys()]).toEqual(['OUT', 'TICK', 'GONE', 'OPEN']);
  });

  it('that sets nothing is no choice', () => {
    expect(read('echo hello\n', 'a.sh')).toMatchObject({ choice: null, notes: [expect.anything()] });
  });

  it.each([
    ['MAX_BATCH_SIZE=many', /MAX_BATCH_SIZE: "many" is not a number/],
    ['DATASETS_DIR=data', /DATASETS_DIR: "data" is not an absolute path/],
    ['PERFORMANCE_TOOL=model_analyzer', /"model_analyzer" is not supported/],
    ['FORMAT=torch-export', /FORMAT=torch-export: .*kept unchanged/],
    ['EXPORT_PRECISION=fp16', /EXPORT_PRECISION=fp16/],
    ['OWN_THING=1', /OWN_THING: it is unknown/],
  ])('with %s says so', (text, note) => {
    const { choice: imported, notes } = read(text, '.env');
    expect(imported?.overrides).toEqual({});
    expect(notes).toEqual([expect.stringMatching(note)]);
  });
});

describe('several Triton servers on one GPU', () => {
  const reason =
    /^TRITON_INSTANCES=2: a run starts and measures one Triton server\. .*concurrency.*NUMBER_OF_MODEL_INSTANCES/;

  it('are refused in a shell file and in a runner configuration, with what to set in their place', () => {
    const configured = (instances: string) =>
      forecastRunner('trt').replace(
        'framework: PyTorch',
        `framework: PyTorch\ntriton_instances: ${instances}`,
      );
    for (const refused of [
      read('TRITON_INSTANCES=2\nPRECISION=fp16', '.env'),
      read(configured('2'), 'a.yaml'),
    ]) {
      expect(refused.choice).toBeNull();
      expect(refused.notes[0]).toMatch(reason);
    }
    expect(read('TRITON_INSTANCES=1\nPRECISION=fp16', '.env')).toMatchObject({
      choice: choice({ precision: 'fp16' }),
      notes: [],
    });
    expect(read(configured('1'), 'a.yaml').choice).not.toBeNull();
  });

  it('are refused in an assignment of the command line, where one is no change', () => {
    expect(() => readAssignment('TRITON_INSTANCES=2')).toThrow(reason);
    expect(readAssignment('TRITON_INSTANCES=1')).toEqual({});
  });
});

describe('a runner configuration', () => {
  it('says which configurations the file has, and gives the one that is asked for', () => {
    const text = forecastRunner('trt');
    const first = read(text, 'config.yaml');
    const second = importSpec(resnet50, text, 'config.yaml', {}, 2);
    expect([first, second].map(({ choice: found }) => found?.overrides['format'])).toEqual([
      'trt',
      'ts-trace',
    ]);
    expect(second.notes[0]).toMatch(
      /^The file has 2 configurations: 1 \(trt\), 2 \(ts-trace\)\. Configuration 2 was used\./,
    );
    expect(second.configurations).toEqual({ names: ['trt', 'ts-trace'], taken: 2 });
    const none = importSpec(resnet50, text, 'config.yaml', {}, 3);
    expect(none).toMatchObject({ choice: null, notes: ['The file has no configuration 3: it has 2.'] });
  });

  it('takes the local path that is written beside a checkpoint and a data set', () => {
    const text = forecastRunner('trt')
      .replace(/(- name: electricity_bin\n)( +url)/, '$1    path: /weights/checkpoint.pt\n$2')
      .replace(/(datasets:\n +- name: electricity_bin\n)/, '$1    path: /data/electricity\n');
    const { choice: imported, notes } = read(text, 'config.yaml');
    expect(imported?.overrides['model']).toEqual({
      checkpoint: '/weights/checkpoint.pt',
      dataset: '/data/electricity',
    });
    expect(notes.join('\n')).not.toMatch(/CHECKPOINT_VARIANT|DATASET:/);
  });

  it('with flat parameters', () => {
    const { source, choice: imported, notes } = read(forecastRunner('ts-trace'), 'config_NVIDIA-A30.yaml');
    expect(source).toBe('runner-yaml-1');
    expect(imported?.overrides).toEqual({
      format: 'ts-trace',
      precision: 'fp16',
      configure: {
        modelName: 'TFT',
        backendAccelerator: 'none',
        instances: 2,
        captureCudaGraph: false,
        maxQueueDelayUs: 1,
        maxBatchSize: 1024,
        preferredBatchSizes: [512, 1024],
        instanceKind: 'KIND_GPU',
      },
      performance: { batchSizes: sizes, measurementRequestCount: 500, measurementMode: 'count_windows' },
    });
    expect(notes[0]).toMatch(/^The file has 2 configurations: .*"run --matrix <file>" runs all of them/);
    expect(notes.join('\n')).toMatch(/CONTAINER_VERSION: choose the engine "docker"/);
  });

  it('with parameters below each configuration', () => {
    const { source, choice: imported, notes } = read(recommendationRunner);
    expect(source).toBe('runner-yaml-2');
    expect(imported?.overrides).toEqual({
      format: 'tf-savedmodel',
      precision: 'fp32',
      configure: {
        batching: 'dynamic',
        modelName: 'WidenDeep',
        backendAccelerator: 'amp',
        captureCudaGraph: false,
        instances: 2,
        maxBatchSize: 131072,
        instanceKind: 'KIND_GPU',
      },
      performance: { loadTool: 'perf_analyzer' },
    });
    expect(notes.join('\n')).toMatch(/MEASUREMENT_STEPS_OFFLINE/);
  });

  it('without a configuration is no choice', () => {
    expect(read('configurations: []\n').choice).toBeNull();
  });
});

describe('run.yaml', () => {
  it('is taken whole or in part', () => {
    const { source, choice: imported } = read('model:\n  profile: full\nconfigure: {instances: 2}\n');
    expect([source, imported]).toEqual([
      'run-yaml',
      choice({ model: { profile: 'full' }, configure: { instances: 2 } }),
    ]);
  });

  it.each(['- 1\n', 'nothing: 1\n', 'a: [\n', ''])('%j is not one', (text) => {
    const imported = read(text);
    expect(imported.choice).toBeNull();
    expect(imported.notes[0]).not.toBe('');
  });

  it('of a preset that there is not is no choice', async () => {
    const tools = createSpecTools({ presets: () => readPresets(resources), places });
    const text = 'model: {preset: nowhere}\n';
    const { choice: imported, notes } = await tools['spec.import']({
      text,
      fileName: '',
      preset: 'resnet50',
    });
    expect([imported, notes]).toEqual([null, [expect.stringContaining('"nowhere"')]]);
  });
});

describe('config.pbtxt', () => {
  /** As Triton's documentation has a model of ONNX Runtime on a GPU; sizes are those of the preset's quick profile. */
  const onGpu = `# written by hand
name: "classifier"
platform: "onnxruntime_onnx"
max_batch_size: 16
input [ { name: "INPUT__0" data_type: TYPE_FP32 format: FORMAT_NCHW dims: [ 3, 64, 64 ] } ]
output [ { name: "OUTPUT__0" data_type: TYPE_FP32 dims: [ 10 ] label_filename: "labels.txt" } ]
instance_group [ { count: 2 kind: KIND_CPU } ]
dynamic_batching { preferred_batch_size: [ 8, 16 ] max_queue_delay_microseconds: 100 }
parameters { key: "intra_op_thread_count" value: { string_value: "3" } }
`;

  it('becomes fields, and a patch for the rest, also where the engine serves by another backend', async () => {
    const { source, choice: imported, notes } = read(onGpu, 'config.pbtxt');
    expect(source).toBe('config-pbtxt');
    expect(imported?.overrides).toMatchObject({
      format: 'onnx',
      configure: {
        modelName: 'classifier',
        maxBatchSize: 16,
        preferredBatchSizes: [8, 16],
        maxQueueDelayUs: 100,
        instances: 2,
        threads: 3,
      },
    });
    expect(notes).toEqual([expect.stringContaining('backend "onnxruntime"'), 'Comments are left out.']);
    const { problems, configPbtxt } = await previewSpec(resnet50, imported ?? choice(), places);
    expect(problems).toEqual([]);
    expect(configPbtxt).toContain('format: FORMAT_NCHW');
    expect(configPbtxt).toContain('label_filename: "labels.txt"');
    expect(configPbtxt).toContain('backend: "python"');
    expect(configPbtxt).not.toContain('intra_op_thread_count');
  });

  it('is known by its looks', () => {
    expect(read(onGpu).source).toBe('config-pbtxt');
  });

  it('that is broken is told with its line', () => {
    const { choice: imported, notes } = read('name: "a"\nmax_batch: 1\n', 'config.pbtxt');
    expect([imported, notes]).toEqual([null, [expect.stringMatching(/line 2: .*max_batch/)]]);
  });
});

describe('a file that would have Triton execute something', () => {
  const evil = '/tmp/env.tar.gz';

  it('is not imported as config.pbtxt, and the note names the field and what to do', () => {
    const text = `name: "resnet50"
backend: "python"
max_batch_size: 8
parameters { key: "EXECUTION_ENV_PATH" value: { string_value: "${evil}" } }
`;
    const { choice: imported, notes } = read(text, 'config.pbtxt');
    expect(imported).toBeNull();
    expect(notes).toEqual([expect.stringMatching(/^parameters\["EXECUTION_ENV_PATH"\]: .*Remove it/)]);
  });

  it('is not imported as run.yaml', () => {
    const patch = { parameters: { EXECUTION_ENV_PATH: { stringValue: evil } } };
    const { choice: imported, notes } = read(
      JSON.stringify({ model: { preset: 'resnet50' }, configure: { configPatch: patch } }),
      'run.yaml',
    );
    expect(imported).toBeNull();
    expect(notes).toEqual([expect.stringMatching(/^parameters\["EXECUTION_ENV_PATH"\]: .*Remove it/)]);
  });
});

describe('a config.pbtxt that names no backend', () => {
  it('leaves it to the engine, without a note', () => {
    expect(importSpec(resnet50, 'max_batch_size: 4\n', 'config.pbtxt').notes).toEqual([]);
  });
});

describe('config.pbtxt over a draft', () => {
  const plain = `name: "resnet50"
backend: "onnxruntime"
max_batch_size: 8
input [ { name: "INPUT__0" data_type: TYPE_FP32 dims: [ 3, 64, 64 ] } ]
output [ { name: "OUTPUT__0" data_type: TYPE_FP32 dims: [ 10 ] } ]
`;
  const over = (overrides: Record<string, unknown>, text = plain) =>
    importSpec(resnet50, text, 'config.pbtxt', overrides);

  it('says what it says, also where that is the default', () => {
    const imported = over({ configure: { maxBatchSize: 64, configPatch: { labels: 'x' } } });
    expect(imported.choice?.overrides).toMatchObject({ configure: { maxBatchSize: 8 } });
    expect(over({}).choice?.overrides).not.toHaveProperty('configure.maxBatchSize');
  });

  it('keeps a format whose files its backend reads', () => {
    const torch = plain.replace('onnxruntime', 'pytorch');
    expect(over({ format: 'ts-script' }, torch).choice?.overrides['format']).toBe('ts-script');
    expect(over({ format: 'onnx' }, torch).choice?.overrides['format']).toBe('ts-trace');
  });

  it('names the engine of the draft', () => {
    const notes = over({ engine: { kind: 'local' } }).notes.join(' ');
    expect(notes).toContain('the engine "local"');
    expect(over({ engine: { kind: 'remote', url: 'http://localhost:8000' } }).notes.join(' ')).not.toContain(
      'the engine "local"',
    );
  });
});
