import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { AnalyzerRun } from '../../../../main/contract/study/analyzer-config';
import { readAnalyzerConfig } from '../../../../main/specification/analyzer/read-analyzer-config';

const run: AnalyzerRun = {
  modelName: 'model_A',
  present: {
    ...{ instances: 2, maxBatchSize: 8, batching: 'static', preferredBatchSizes: [4], maxQueueDelayUs: 50 },
    threads: 1,
  },
  onGpu: false,
  protocol: 'grpc',
};

const read = (text: string, more: Partial<AnalyzerRun> = {}, model: string | null = null) =>
  readAnalyzerConfig({ text, fileName: 'config.yaml', run: { ...run, ...more }, model });

function refusal(text: string, model: string | null = null): WorkbenchError {
  try {
    read(text, {}, model);
  } catch (error) {
    if (error instanceof WorkbenchError) return error;
    throw error;
  }
  throw new Error('It was read');
}

/** What stays as it is where the file says nothing of it. */
const present = {
  ...{ instances: [2], maxBatchSize: [8], batching: ['static'], preferredBatchSizes: [[4]] },
  ...{ maxQueueDelayUs: [50], threads: [1] },
};

describe('the values of a configuration of Model Analyzer', () => {
  it('are those of its automatic search where only bounds are stated', () => {
    const { request, taken, left, model } = read(`model_repository: /path/to/model/repository/

run_config_search_max_instance_count: 3
run_config_search_min_model_batch_size: 16
run_config_search_min_concurrency: 8
run_config_search_max_concurrency: 256
profile_models:
  - model_A
`);
    expect(model).toBe('model_A');
    expect(request).toEqual({
      load: 'closed',
      concurrency: [8, 16, 32, 64, 128, 256],
      space: {
        ...{ instances: [1, 2, 3], maxBatchSize: [16, 32, 64, 128], batching: ['dynamic'] },
        ...{ preferredBatchSizes: [[]], maxQueueDelayUs: [0], threads: [1] },
      },
    });
    expect(taken.map(({ line, option }) => [line, option])).toEqual([
      [3, 'run_config_search_max_instance_count'],
      [4, 'run_config_search_min_model_batch_size'],
      [5, 'run_config_search_min_concurrency'],
      [6, 'run_config_search_max_concurrency'],
      [8, 'profile_models'],
    ]);
    expect(left).toEqual([{ line: 1, option: 'model_repository', text: 'the model is that of the run' }]);
  });

  it('are those that its manual search sweeps, and the rest stays', () => {
    const { request, left } = read(`run_config_search_disable: True
profile_models:
  model_A:
    model_config_parameters:
      max_batch_size: [6, 8]
      dynamic_batching:
        max_queue_delay_microseconds: [200, 300]
        preferred_batch_size: [[4], [4, 8]]
      instance_group:
        - kind: KIND_CPU
          count: [1, 2]
    parameters:
      concurrency:
        start: 2
        stop: 64
        step: 8
      batch_sizes: 4
`);
    expect(request).toEqual({
      load: 'closed',
      concurrency: [2, 10, 18, 26, 34, 42, 50, 58],
      batchSize: 4,
      space: {
        ...{ instances: [1, 2], maxBatchSize: [6, 8], batching: ['dynamic'] },
        ...{ preferredBatchSizes: [[4], [4, 8]], maxQueueDelayUs: [200, 300], threads: [1] },
      },
    });
    expect(left).toEqual([]);
  });

  it('are no others than the present ones where its search is off, or anything is stated for its brute mode', () => {
    expect(read('run_config_search_disable: true\nprofile_models: model_A\n').request.space).toEqual(present);
    const { request, left } = read(`run_config_search_max_instance_count: 4
profile_models:
  model_A:
    model_config_parameters: {max_batch_size: 16}
`);
    expect(request.space).toEqual({ ...present, maxBatchSize: [16] });
    expect(left).toMatchObject([{ line: 1, option: 'run_config_search_max_instance_count' }]);
    // Its other modes vary what is not stated all the same.
    const optuna = read(`run_config_search_mode: optuna
run_config_search_max_instance_count: 3
profile_models:
  model_A:
    model_config_parameters: {max_batch_size: [1, 4], dynamic_batching: {max_queue_delay_microseconds: [100]}}
`);
    expect(optuna.request.space).toEqual({
      ...{ instances: [1, 2, 3], maxBatchSize: [1, 4], batching: ['dynamic'] },
      ...{ preferredBatchSizes: [[]], maxQueueDelayUs: [100], threads: [1] },
    });
  });

  it('are listed configurations of one group of instances each, and threads by their name', () => {
    const { request, left } = read(`profile_models:
  model_A:
    model_config_parameters:
      instance_group:
        - - kind: KIND_CPU
            count: 1
        - - {count: 3}
        - - {kind: KIND_CPU, count: 1}
          - {kind: KIND_CPU, count: 2}
      parameters:
        intra_op_thread_count: {string_value: ["1", "2"]}
        other: {string_value: x}
      optimization: {priority: PRIORITY_MAX}
`);
    expect(request.space).toEqual({ ...present, instances: [1, 3], threads: [1, 2] });
    expect(
      left.map(({ line, option }) => [line, option.replace(/^.*model_config_parameters\./, '')]),
    ).toEqual([
      [8, 'instance_group'],
      [12, 'parameters.other'],
      [13, 'optimization'],
    ]);
  });

  it('have the kind of the run: another one is named', () => {
    const text = `profile_models:
  model_A:
    cpu_only: true
    model_config_parameters: {instance_group: [{kind: KIND_GPU, count: 2}]}
`;
    expect(read(text).left).toMatchObject([{ line: 4, text: expect.stringContaining('KIND_CPU') as string }]);
    const onGpu = read(text, { onGpu: true });
    expect(onGpu.left).toMatchObject([{ line: 3, option: 'profile_models.model_A.cpu_only' }]);
    expect(onGpu.request.space).toMatchObject({ instances: [2] });
  });
});

describe('the load of a configuration of Model Analyzer', () => {
  it.each([
    ['request_rate: 100,200', 'request_rate'],
    ['request_rate_search_enable: yes', 'request_rate_search_enable'],
    ['run_config_search_max_request_rate: 500', 'run_config_search_max_request_rate'],
  ])('is open with "%s"', (text, option) => {
    const { request, taken } = read(`profile_models: [model_A]\n${text}\n`);
    expect(request.load).toBe('open');
    expect(request.concurrency).toBeUndefined();
    expect(taken).toContainEqual(expect.objectContaining({ line: 2, option }));
  });

  it('is that of the model before that of the file, with the batch sizes of requests', () => {
    const { request, left } = read(`batch_sizes: {start: 4, stop: 9}
concurrency: [2, 4, 8]
profile_models:
  model_A:
    parameters:
      batch_sizes: 1, 2, 3
`);
    expect(request).toMatchObject({ load: 'closed', concurrency: [2, 4, 8], batchSize: 1 });
    expect(request.space?.batchSize).toEqual([1, 2, 3]);
    expect(left.map(({ line, text }) => [line, text])).toEqual([[1, 'the model has its own']]);
  });
});

describe('the target of a configuration of Model Analyzer', () => {
  it('is the p99 before others, in milliseconds; every other constraint is named', () => {
    const { request, left } = read(`profile_models: model_A
constraints:
  perf_throughput: {min: 100}
  perf_latency_p95: {max: 30}
  perf_latency_p99: {max: 40}
  gpu_used_memory: {max: 200}
  time_to_first_token_p99: {max: 5}
`);
    expect(request).toMatchObject({ percentile: 99, latencyUs: 40_000 });
    expect(left.map(({ line }) => line)).toEqual([3, 4, 6, 7]);
  });

  it('has the GPU memory beside it where the run serves on GPUs', () => {
    const text = 'profile_models: model_A\nconstraints: {gpu_used_memory: {max: 200}}\n';
    const { request, left, taken } = read(text, { onGpu: true });
    expect(request.memory).toEqual({ gpuBytes: 200e6 });
    expect(left).toEqual([]);
    expect(taken).toContainEqual(
      expect.objectContaining({ line: 2, option: 'constraints.gpu_used_memory.max' }),
    );
    expect(read(text).request.memory).toBeUndefined();
  });

  it('is that of the model, of latency_budget, or another percentile', () => {
    const own = read(`constraints: {perf_latency_p99: {max: 100}}
profile_models:
  model_A: {constraints: {perf_latency_p90: {max: 7}}}
`);
    expect(own.request).toMatchObject({ percentile: 90, latencyUs: 7000 });
    expect(own.left).toMatchObject([{ line: 1, text: 'the model has its own' }]);
    const budget = read('profile_models: model_A\nlatency_budget: 12\nmin_throughput: 5\n');
    expect(budget.request).toMatchObject({ percentile: 99, latencyUs: 12_000 });
    expect(budget.left).toMatchObject([{ line: 3, option: 'min_throughput' }]);
    expect(read('profile_models: model_A\n').request.latencyUs).toBeUndefined();
  });

  it('is sought by throughput: other objectives are named', () => {
    const { taken, left } = read(`profile_models: model_A
objectives:
  - perf_throughput
  - perf_latency_p99
`);
    expect(taken).toContainEqual(expect.objectContaining({ line: 3, option: 'objectives' }));
    expect(left).toMatchObject([{ line: 4, text: expect.stringContaining('perf_latency_p99') as string }]);
    expect(read('profile_models: model_A\nobjectives: {gpu_utilization: 2}\n').left).toMatchObject([
      { line: 2, option: 'objectives.gpu_utilization' },
    ]);
  });
});

describe('the options of a configuration of Model Analyzer', () => {
  const listed = readFileSync(join(process.cwd(), 'test/fixtures/model-analyzer/options-26.04.txt'), 'utf8');
  const valueOf: Readonly<Record<string, string>> = {
    constraints: '{perf_latency_p99: {max: 5}}',
    objectives: '[perf_throughput]',
    perf_analyzer_flags: '{percentile: 95}',
    profile_models: 'model_A',
    run_config_search_mode: 'quick',
    client_protocol: 'http',
  };
  // These two are of a model.
  const ofFile = listed
    .trim()
    .split('\n')
    .filter((name) => !['parameters', 'model_config_parameters'].includes(name));

  it.each(ofFile)('are known: %s is taken, or not with its reason', (name) => {
    const others = name === 'profile_models' ? '' : 'profile_models: model_A\n';
    const { taken, left } = read(`${others}${name}: ${valueOf[name] ?? '1'}\n`);
    const said = [...taken, ...left].filter(({ option }) => option.split('.')[0] === name);
    expect(said).toHaveLength(1);
    expect(said[0]?.text).not.toContain('unknown');
  });

  it('are named where nobody knows them, at every level', () => {
    const { left } = read(`profile_models:
  model_A:
    perf_analyzer_flags: {shape: [x:3], verbose: true}
    parameters: {concurrencies: 4}
    vgg: {parameters: {concurrency: 2}}
  other: {}
perf_analyzer_flag: 1
`);
    expect(left.map(({ line, option, text }) => [line, option, text])).toEqual([
      [3, 'profile_models.model_A.perf_analyzer_flags.shape', 'the inputs are those of the run'],
      [3, 'profile_models.model_A.perf_analyzer_flags.verbose', 'perf_analyzer does not measure here'],
      [4, 'profile_models.model_A.parameters.concurrencies', 'unknown: not a parameter of Model Analyzer'],
      [5, 'profile_models.model_A.vgg', 'unknown: not an option of a model'],
      [6, 'profile_models.other', 'other: a file with the rate of each model searches several together'],
      [7, 'perf_analyzer_flag', 'unknown: not an option of Model Analyzer'],
    ]);
  });

  it('are those of the named model, or of the only one', () => {
    const two = 'profile_models:\n  a: {parameters: {concurrency: 3}}\n  b: {}\n';
    expect(read(two, {}, 'a').request.concurrency).toEqual([3]);
    expect(refusal(two)).toMatchObject({
      message: 'The file has the models a, b; none is called "model_A"',
      where: 'config.yaml, line 1, profile_models',
    });
    expect(read('profile_models: [x]\n').taken).toMatchObject([{ text: 'x is the model of the run' }]);
    expect(refusal('profile_models: [x]\n', 'y').message).toContain('none is called "y"');
  });
});

describe('a file that is no configuration of Model Analyzer', () => {
  it.each([
    ['profile_models: [a\nbatch_sizes: 1\n', 'config.yaml', /at line 2/],
    ['profile_models: a\nprofile_models: b\n', 'config.yaml', /unique at line 2/],
    ['- a\n', 'config.yaml', /not a configuration/],
    ['batch_sizes: 2\n', 'config.yaml, line 1, profile_models', /names no model/],
    [
      'profile_models: model_A\nbatch_sizes: two\n',
      'config.yaml, line 2, batch_sizes',
      /"two" is not a whole/,
    ],
    [
      'profile_models: model_A\nconcurrency: {start: 9, stop: 2}\n',
      'config.yaml, line 2, concurrency',
      /above/,
    ],
    ['profile_models: model_A\nconcurrency: {start: 1}\n', 'config.yaml, line 2, concurrency', /start, stop/],
    [
      'profile_models: model_A\nconcurrency: {start: 1, stop: 99999999}\n',
      'config.yaml, line 2, concurrency',
      /more than/,
    ],
    ['profile_models: model_A\nconstraints: [1]\n', 'config.yaml, line 2, constraints', /not a mapping/],
    [
      'profile_models: model_A\nconstraints:\n  perf_latency_p99:\n    max: soon\n',
      'config.yaml, line 4, constraints.perf_latency_p99.max',
      /"soon"/,
    ],
    ['profile_models: model_A\nrun_config_search_disable: maybe\n', /line 2/, /neither true nor false/],
  ])('is refused with its line: %j', (text, where, message) => {
    const error = refusal(text);
    expect(error.code).toBe('input-invalid');
    expect(error.where).toMatch(where);
    expect(error.message).toMatch(message);
  });

  it('has no range that is unrolled without an end', () => {
    const { left, request } = read(
      'profile_models: model_A\nrun_config_search_max_instance_count: 999999999999\n',
    );
    expect(left).toMatchObject([{ line: 2, text: expect.stringContaining('more than the 64') as string }]);
    expect(request.space).toMatchObject({ instances: [2] });
  });
});
