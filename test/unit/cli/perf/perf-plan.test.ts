import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { PerfOptions } from '../../../../main/cli/perf/perf-options';
import { addPerfOptions, byFlag, readPerfPlan } from '../../../../main/cli/perf/perf-plan';
import { planText } from '../../../../main/cli/perf/plan-text';
import { WorkbenchError } from '../../../../main/contract/errors';
import { readReplay } from '../../../../main/perf/replay/read-replay';

const planOf = (...args: string[]) => {
  const command = addPerfOptions(new Command('perf').exitOverride());
  command.parse(['--url', 'http://127.0.0.1:8000', ...args], { from: 'user' });
  const options = command.opts<PerfOptions>();
  return readPerfPlan(options, readReplay).catch((error: unknown) => {
    throw byFlag(error, options);
  });
};
const sweep = ['--model', 'm', '--concurrency', '1:4'];

describe('several levels', () => {
  it('are measured in turns', async () => {
    expect((await planOf(...sweep)).inTurns).toBe(true);
    expect((await planOf('--model', 'm', '--request-rate', '10:30:10', '--repeats', '1')).inTurns).toBe(true);
  });

  it.each([
    ['there is one level', ['--model', 'm']],
    ['it is not wanted', [...sweep, '--no-in-turns']],
    ['so many windows are allowed', [...sweep, '--max-trials', '10']],
    ['so many requests are asked for', [...sweep, '--request-count', '500']],
    ['there are rounds already', [...sweep, '--repeats', '2']],
    ['both tools have turns already', [...sweep, '--cross-check']],
    ['what comes next depends on what came before', [...sweep, '--latency-threshold', '20']],
    ['models run at the same time', [...sweep, '--model', 'other']],
    ['sequences would be cut', [...sweep, '--sequence-length', '5']],
  ])('are each measured as a whole where %s', async (_why, args) => {
    const plan = await planOf(...args);
    expect(plan.inTurns).toBe(false);
    expect(plan.settings.maxTrials).toBe(10);
  });
});

describe('another machine', () => {
  const far = 'far.example:8001';

  it.each([
    ['--url', ['--url', 'http://far.example:8000']],
    ['--grpc-url', ['--grpc-url', far]],
    ['--grpc-url', ['--grpc-url', `grpcs://${far}`]],
  ])('is not loaded by %s', async (where, args) => {
    await expect(planOf('--model', 'm', ...args)).rejects.toMatchObject({ code: 'input-invalid', where });
  });

  it('is, where that is wanted', async () => {
    const { addresses } = await planOf('--model', 'm', '--grpc-url', far, '--allow-remote-load');
    expect(addresses.grpc).toBe(far);
  });

  // M16
  it.each([
    ['--remote-concurrency', '2048', ['--concurrency', '1:2048:2047']],
    ['--remote-request-rate', '20000', ['--request-rate', '20000']],
  ])('gets at most the load that %s states', async (limit, most, load) => {
    const loaded = ['--model', 'm', '--grpc-url', far, '--allow-remote-load', ...load];
    const [where] = load;
    await expect(planOf(...loaded)).rejects.toMatchObject({
      ...{ code: 'input-invalid', where },
      remedy: `Reduce the load, or raise ${limit} if the owner of the machine agrees.`,
    });
    await expect(planOf(...loaded, limit, most)).resolves.toBeDefined();
    await expect(planOf('--model', 'm', ...load)).resolves.toBeDefined();
  });

  it.each(['system', 'cuda'])('shares no %s memory with it', async (kind) => {
    const args = ['--model', 'm', '--shared-memory', kind, '--load-tool', 'perf_analyzer'];
    await expect(planOf(...args)).resolves.toBeDefined();
    await expect(planOf(...args, '--grpc-url', far, '--allow-remote-load')).rejects.toMatchObject({
      code: 'combination-unsupported',
      where: '--shared-memory',
    });
  });

  it.each(['LOCALHOST:8001', '127.1.2.3:8001', '[::1]:8001', 'grpc://localhost:8001'])(
    'is not %s',
    async (address) => {
      await expect(planOf('--model', 'm', '--grpc-url', address)).resolves.toBeDefined();
    },
  );
});

describe('the address', () => {
  it.each([
    ['localhost:8010', 'localhost:8010', 'localhost:8011', 'localhost:8012'],
    ['localhost', 'localhost:8000', 'localhost:8001', 'localhost:8002'],
    ['http://[::1]:9000', '[::1]:9000', '[::1]:9001', '[::1]:9002'],
    ['http://localhost:8000?grpcPort=9', 'localhost:8000', 'localhost:9', 'localhost:8002'],
    ['https://localhost', 'localhost:443', 'localhost:443', null],
  ])('%s leads to the ports of one server', async (url, http, grpc, metrics) => {
    const { addresses } = await planOf('--model', 'm', '--url', url);
    expect(addresses).toMatchObject({
      ...{ http, grpc },
      metrics: metrics === null ? null : { address: metrics, path: '/metrics' },
    });
  });

  it.each(['http://localhost:8000/v2', 'ftp://localhost', 'http://user:word@localhost:8000'])(
    '%s is refused by its option',
    async (url) => {
      const error = await planOf('--model', 'm', '--url', url).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'input-invalid', where: '--url' });
      expect(String(error)).not.toContain('word');
    },
  );
});

it('a seed is of Poisson alone', async () => {
  const seed = ['--model', 'm', '--request-rate', '10', '--request-seed', '7'];
  await expect(planOf(...seed)).rejects.toMatchObject({ code: 'input-invalid', where: '--request-seed' });
  const { settings } = await planOf(...seed, '--request-distribution', 'poisson');
  expect(settings.requestSeed).toBe(7);
});

it('an option is named as it was typed', async () => {
  const rates = ['--model', 'm', '--request-rate-range', '10', '--concurrency-range', '1:2'];
  await expect(planOf(...rates)).rejects.toMatchObject({ where: '--concurrency-range' });
});

it('CUDA shared memory is for perf_analyzer alone', async () => {
  const cuda = ['--model', 'm', '--shared-memory', 'cuda'];
  await expect(planOf(...cuda)).rejects.toMatchObject({
    code: 'combination-unsupported',
    where: '--shared-memory',
  });
  await expect(planOf(...cuda, '--cross-check')).rejects.toMatchObject({ where: '--shared-memory' });
  await expect(planOf(...cuda, '--load-tool', 'perf_analyzer')).resolves.toBeDefined();
});

describe('numbers', () => {
  it.each([
    ['--measurement-interval-ms', '0'],
    ['--measurement-interval-ms', '3000000000'],
    ['--measurement-request-count', '0.5'],
    ['--stability-percentage', '-5'],
    ['--max-trials', '0'],
    ['--warmup-ms', '3000000000'],
    ['--output-shared-memory-size', '0'],
  ])('%s %s is refused by its name', async (flag, value) => {
    await expect(planOf('--model', 'm', flag, value)).rejects.toMatchObject({
      code: 'input-invalid',
      where: flag,
    });
  });

  it('can ask for windows of requests', async () => {
    const { settings } = await planOf(
      ...['--model', 'm', '--measurement-mode', 'count_windows', '--measurement-request-count', '200'],
    );
    expect(settings).toMatchObject({ measurementMode: 'count_windows', measurementRequestCount: 200 });
  });
});

const settings = {
  measurementMode: 'time_windows' as const,
  measurementIntervalMs: 2000,
  measurementRequestCount: 50,
  stabilityPercentage: 10,
  maxTrials: 10,
  requestCount: 0,
  warmupMs: 1000,
  warmupRequestCount: 0,
};

it('the warm-up of a level and its windows are told', () => {
  expect(planText({ levels: [], tools: ['native'], settings })).toBe(
    'each level: warm-up 1,000 ms, discarded, then windows of 2,000 ms',
  );
  expect(
    planText({
      levels: [],
      tools: ['native'],
      settings: { ...settings, warmupMs: 0, measurementMode: 'count_windows' },
    }),
  ).toBe('each level: no warm-up, then windows of 50 requests, at least one second each');
});

it('a gateway is said to be measured in turns, over HTTP unless it names gRPC', async () => {
  const plan = await planOf('--model', 'm', '--via', 'http://localhost:9000');
  expect(plan).toMatchObject({ protocol: 'http', via: { address: 'localhost:9000', tls: null } });
  expect(planText(plan)).toBe(
    'each level: warm-up 150 ms, discarded, then measurements of 500 ms in turns, directly and through http://localhost:9000',
  );
  const grpc = await planOf('--model', 'm', '--url', 'localhost:8000', '--via', 'grpc://localhost:9001');
  expect(grpc).toMatchObject({ protocol: 'grpc', via: { address: 'localhost:9001' } });
});

it('perf_analyzer is not said to warm up', () => {
  expect(planText({ levels: [], tools: ['perf_analyzer'], settings })).toContain(
    'no warm-up (perf_analyzer has none)',
  );
  expect(planText({ levels: [], tools: ['native', 'perf_analyzer'], settings })).toContain(
    'warm-up 1,000 ms, discarded (perf_analyzer has none)',
  );
});

describe('so many requests', () => {
  it('come without a warm-up that nobody typed', async () => {
    const plan = await planOf('--model', 'm', '--request-count', '20');
    expect(plan.settings).toMatchObject({ requestCount: 20, warmupMs: 0 });
    expect(planText(plan)).toBe('each level: no warm-up, then exactly 20 requests');
    const warm = await planOf('--model', 'm', '--request-count', '20', '--warmup-request-count', '1');
    expect(warm.settings).toMatchObject({ warmupMs: 0, warmupRequestCount: 1 });
    expect(planText(warm)).toBe('each level: warm-up 1 request, discarded, then exactly 20 requests');
    const timed = await planOf('--model', 'm', '--request-count', '20', '--warmup-ms', '300');
    expect(timed.settings.warmupMs).toBe(300);
  });

  it('are no fewer than are sent at once', async () => {
    await expect(planOf('--model', 'm', '--concurrency', '8', '--request-count', '4')).rejects.toMatchObject({
      code: 'input-invalid',
      where: '--request-count',
    });
  });
});

it('names the option of a shape that the model refuses', () => {
  const error = new WorkbenchError('input-invalid', 'image: [3] does not fit [4]', {
    where: 'model.shapes.image',
  });
  expect(byFlag(error, { model: [], inTurns: true })).toMatchObject({
    where: '--shape',
    message: error.message,
  });
});
