import { resolve } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { PerfOptions } from '../../../../main/cli/perf/perf-options';
import { addPerfOptions, readPerfPlan } from '../../../../main/cli/perf/perf-plan';
import { readReplay } from '../../../../main/perf/replay/read-replay';

async function planOf(...args: string[]) {
  const command = addPerfOptions(new Command('perf').exitOverride());
  command.parse(['-m', 'm', '-u', 'http://127.0.0.1:8000', ...args], { from: 'user' });
  const notes: string[] = [];
  const plan = await readPerfPlan(command.opts<PerfOptions>(), readReplay, (line) => notes.push(line));
  return { plan, notes: notes.join('\n') };
}
const concurrencies = async (...args: string[]) =>
  (await planOf(...args)).plan.levels.map(({ concurrency }) => concurrency);

describe('an option of perf_analyzer', () => {
  it('that does nothing here is accepted, and said', async () => {
    const { plan, notes } = await planOf(
      ...['-v', '-v', '-a', '--max-threads', '4', '--collect-metrics', '--verbose-csv', '-d'],
      ...['--service-kind', 'triton', '--input-tensor-format', 'binary'],
    );
    expect(plan.tools).toEqual(['native']);
    expect(notes).toContain('No effect here: -v (');
    expect(notes).toContain('--max-threads (there are as many connections as the load needs)');
  });

  it('for OpenAI’s protocol asks it for text', async () => {
    const { plan } = await planOf(
      ...['--service-kind', 'openai', '--endpoint', 'v1/chat/completions', '-u', 'http://localhost:9000'],
      ...['--prompts', 'p.jsonl', '--output-tokens', '8'],
    );
    expect(plan).toMatchObject({
      protocol: 'http',
      addresses: { http: 'localhost:9000', metrics: { address: 'localhost:9000', path: '/metrics' } },
      settings: { generation: { endpoint: 'chat', promptsFile: resolve('p.jsonl'), outputTokens: 8 } },
    });
  });

  it('has its meaning', async () => {
    const { plan } = await planOf(
      ...['--binary-search', '-l', '10', '--concurrency-range', '1:64:4', '--percentile=95'],
      ...['--string-length', '16', '--metrics-interval', '500'],
    );
    expect(plan).toMatchObject({
      search: { kind: 'binary', thresholdUs: 10_000, precision: 4 },
      settings: { percentile: 95 },
      ...{ strings: { length: 16 }, metricsIntervalMs: 500 },
    });
    expect(plan.levels).toHaveLength(64);
    expect(await concurrencies('-t', '4')).toEqual([4]);
    expect(await concurrencies('-t', '2', '-c', '4')).toEqual([2, 3, 4]);
    expect(await concurrencies('-c', '2')).toEqual([1, 2]);
    expect((await planOf('-z')).plan.sources).toEqual(['zero']);
    expect((await planOf('--percentile', '-1')).plan.settings.percentile).toBe(0);
    const open = await concurrencies('--concurrency-range', '1:0:2', '-l', '50');
    expect([open.slice(0, 3), open.at(-1)]).toEqual([[1, 3, 5], 1023]);
    const { plan: rates } = await planOf('--binary-search', '-l', '9', '--request-rate-range', '10:100:20');
    expect(rates.levels.map(({ requestRate }) => requestRate)).toEqual([
      ...[10, 21.25, 32.5, 43.75, 55, 66.25, 77.5, 88.75, 100],
    ]);
  });

  it('that only perf_analyzer has is measured with it', async () => {
    const { plan, notes } = await planOf('--grpc-compression-algorithm', 'gzip', '-a', '-i', 'grpc');
    expect(plan.tools).toEqual(['perf_analyzer']);
    expect(plan.analyzerArguments).toEqual(['--async', '--grpc-compression-algorithm', 'gzip']);
    expect(notes).toBe(
      'Measured with perf_analyzer: the built-in load generator has no --grpc-compression-algorithm',
    );
  });

  it.each([
    ['--concurrency-range 1:0', /latency limit/],
    ['--concurrency-range 0:4', /start is not above 0/],
    ['--concurrency-range 1:2:3:4', /three parts/],
    ['--concurrency-range 1:0 -l 5 --binary-search', /needs an end/],
    ['--concurrency-range 1:8 --binary-search', /latency threshold/],
    ['--async --sync', /cannot be used together/],
    ['--sync --streaming -i grpc', /always asynchronous/],
    ['--max-threads 0', /whole number of at least 1/],
    ['--percentile 100', /percentile/],
    ['--string-length 0', /number of characters/],
    ['--service-kind openai', /perf measures Triton/],
    ['--periodic-concurrency-range 1:4', /not supported/],
    ['--fixed-schedule', /not supported/],
    ['-t 4 --concurrency-range 8', /cannot be used together/],
    ['--load-tool native --trace-level TIMESTAMPS', /has no --trace-level/],
    ['--grpc-compression-algorithm gzip -i http', /only supported over gRPC/],
    ['--trace-level LOUD', /is not one of OFF/],
    ['--ssl-https-private-key-type DER', /PEM only/],
  ])('%s is refused', async (line, message) => {
    const error: unknown = await planOf(...line.split(' ')).catch((reason: unknown) => reason);
    expect(`${(error as { where?: string }).where ?? ''} ${String(error)}`).toMatch(message);
  });
});
