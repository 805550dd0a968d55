import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, isOpenai, protocolOfEndpoint } from '../../main/contract/load/generation';
import { type LoadPoint, loadPointSchema } from '../../main/contract/measured/results';
import { wantedTensors } from '../../main/perf/input/wanted-tensor';
import { createLoadTools } from '../../main/perf/load-tools';
import { storePrompts } from '../../main/perf/prompts/read-prompts';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { languageModel } from '../support/language-model';
import { type OpenaiFrontend, startOpenaiFrontend } from '../support/openai-frontend';
import { createTestCore } from '../support/test-core';
import { tokenizerFile } from '../support/tokenizers';
import { startTestTriton, type TestTriton } from '../support/triton';

const workerFile = join(process.cwd(), 'out', 'main', 'load-worker.cjs');
const tools = createLoadTools({ layout: homeLayout(defaultHome(process.env)), workerFile, env: process.env });

let home: TestHome;
let triton: TestTriton;
let frontend: OpenaiFrontend;
beforeAll(async () => {
  home = await createTestHome();
  triton = await startTestTriton([languageModel]);
  frontend = await startOpenaiFrontend(triton.httpAddress);
});
afterAll(async () => {
  await frontend.close();
  await triton.stop();
  await home.remove();
});

async function promptsFile(prompts: readonly string[]): Promise<string> {
  const file = join(home.path, 'prompts.jsonl');
  await writeFile(file, prompts.map((text) => JSON.stringify({ text })).join('\n'));
  return file;
}

interface Asked {
  readonly tokens?: number;
  readonly concurrency?: number;
  readonly budgets?: { readonly ttftBudgetMs: number; readonly itlBudgetMs: number };
}

/** Four requests over the endpoint, as `perf` makes them of a file of prompts. */
async function measure(
  endpoint: Endpoint,
  prompts: readonly string[],
  { tokens: outputTokens, concurrency = 2, budgets }: Asked = {},
): Promise<LoadPoint> {
  const dir = await mkdtemp(join(home.path, 'level-'));
  const { inputs } = await createTritonClient(triton.httpAddress).modelMetadata('lm');
  const optional = new Set(['stream', 'max_tokens']);
  const inputData = await storePrompts(
    {
      ...{ path: await promptsFile(prompts), endpoint, modelName: 'lm', outputTokens },
      inputs: endpoint === 'grpc-stream' ? wantedTensors(inputs, { batched: false, optional }) : [],
    },
    dir,
  );
  const point = await tools.native.measure({
    httpAddress: isOpenai(endpoint) ? frontend.address : triton.httpAddress,
    grpcAddress: triton.grpcAddress,
    protocol: protocolOfEndpoint(endpoint),
    ...{ modelName: 'lm', modelVersion: '', inputData, inputDataDir: dir, batched: false, decoupled: true },
    level: { batchSize: 1, concurrency },
    workDir: dir,
    signal: new AbortController().signal,
    ...{ onWindow: () => undefined, onLog: () => undefined, onCommand: () => undefined },
    settings: {
      ...{ measurementMode: 'time_windows', measurementIntervalMs: 400, measurementRequestCount: 50 },
      ...{ stabilityPercentage: 10, maxTrials: 3, warmupMs: 0, requestCount: 4 },
      ...(endpoint === 'grpc-stream' ? { streaming: true } : {}),
      generation: { endpoint, ...budgets },
    },
  });
  return loadPointSchema.parse(point);
}

const endpoints = ['grpc-stream', 'generate-stream', 'chat', 'completions'] as const;

describe('tokens of a language model', () => {
  it.each(endpoints)('are measured over %s', async (endpoint) => {
    const budgets = { ttftBudgetMs: 79, itlBudgetMs: 60_000 };
    const point = await measure(endpoint, ['one', 'two'], { tokens: 5, budgets });
    expect(point).toMatchObject({ requestCount: 4, errorCount: 0, flags: [] });
    expect(point.generation).toMatchObject({
      endpoint,
      tokensCountedBy: isOpenai(endpoint) ? 'server usage' : 'responses',
      outputTokens: 20,
      tokensPerRequest: { avg: 5, min: 5, max: 5 },
      answersPerRequest: 5,
      emptyRequests: 0,
      // No first token comes before 80 ms.
      goodput: { ttftBudgetUs: 79_000, requests: 0 },
    });
    // What the model waits is the least that is measured; how much more depends on the machine.
    expect(point.generation?.timeToFirstToken?.p50Us).toBeGreaterThan(79_000);
    expect(point.generation?.timePerOutputToken?.p50Us).toBeGreaterThan(14_000);
    // Only Triton's own ways in have its statistics.
    expect(point.serverComputeInferUs === null).toBe(isOpenai(endpoint));
  });

  it('are asked of OpenAI’s server with a fixed length, and with its usage', async () => {
    await measure('chat', ['one'], { tokens: 2 });
    expect(frontend.asked.at(-1)).toEqual({
      model: 'lm',
      messages: [{ role: 'user', content: 'one' }],
      ...{ stream: true, stream_options: { include_usage: true } },
      ...{ max_tokens: 2, ignore_eos: true, temperature: 0 },
    });
    const { generation } = await measure('chat', ['uncounted'], { tokens: 2 });
    expect(generation).toMatchObject({ tokensCountedBy: 'responses', outputTokens: 8 });
  });

  it('are asked of the models that OpenAI’s server lists', async () => {
    const core = await createTestCore(home.path);
    try {
      const { address: url } = frontend;
      expect(await core.handlers['servers.describe']({ url, openai: true })).toEqual({
        ...{ title: 'OpenAI server', listsModels: true, more: 0 },
        models: [{ name: 'lm', versions: [], maxBatchSize: 0, dynamicInputs: [] }],
      });
    } finally {
      await core.close();
    }
  });

  it('of a reply in one piece are not guessed', async () => {
    expect((await measure('generate', ['one'])).generation).toMatchObject({
      ...{ tokensCountedBy: null, outputTokens: null, timeToFirstToken: null, interTokenLatency: null },
      answersPerRequest: 1,
    });
  });

  it.each(['grpc-stream', 'generate-stream', 'generate'] as const)(
    'are counted by the tokenizer over %s, which makes the prompts, too',
    async (endpoint) => {
      const { code, stdout, stderr } = await cli(
        home.path,
        ...['perf', '--url', triton.httpAddress, '--grpc-url', triton.grpcAddress, '--model', 'lm'],
        ...['--endpoint', endpoint, '--tokenizer', tokenizerFile('bpe'), '--output-tokens', '3'],
        ...['--synthetic-input-tokens-mean', '40', '--prefix-prompt-length', '20', '--num-prompts', '2'],
        ...['--request-count', '2', '--json'],
      );
      expect(code, stderr).toBe(0);
      const { points } = JSON.parse(stdout) as { readonly points: readonly LoadPoint[] };
      const generation = points[0]?.generation;
      expect(generation).toMatchObject({
        tokensCountedBy: 'tokenizer',
        promptTokens: { avg: 60, min: 60, max: 60 },
        answersPerRequest: endpoint === 'generate' ? 1 : 3,
      });
      // Each answer is a time of 19 digits, for which the tokenizer has no single token.
      expect(generation?.tokensPerRequest?.min).toBeGreaterThan(3);
    },
  );

  it('have a stall of a second in their maximum, in the table and in the file', async () => {
    const prompts = await promptsFile(['stall', 'fine']);
    const csv = join(home.path, 'stall.csv');
    const { code, stdout, stderr } = await cli(
      home.path,
      ...['perf', '--url', triton.httpAddress, '--grpc-url', triton.grpcAddress, '--model', 'lm'],
      ...[
        '--endpoint',
        'generate-stream',
        '--prompts',
        prompts,
        '--request-count',
        '4',
        '--concurrency',
        '2',
      ],
      ...['--csv', csv, '--json'],
    );
    expect(code, stderr).toBe(0);
    const { points } = JSON.parse(stdout) as { readonly points: readonly LoadPoint[] };
    const generation = points[0]?.generation;
    expect(generation?.stalledRequests).toBe(2);
    expect(generation?.interTokenLatency?.maxUs).toBeGreaterThanOrEqual(1_000_000);
    expect(stderr).toContain(', 2 stalled');
    const [names = '', row = ''] = (await readFile(csv, 'utf8')).split('\r\n');
    const cell = (name: string) => row.split(',')[names.split(',').indexOf(`"${name}"`)];
    expect(cell('Stalled Requests')).toBe('2');
    expect(cell('Tokens Counted By')).toBe('"responses"');
    expect(Number(cell('Inter-Token Latency max (ms)'))).toBeGreaterThanOrEqual(1000);
  });
});

describe('a failure within a stream', () => {
  it.each([
    ['generate-stream', 'fail', 'error answer', 'asked to fail'],
    ['chat', 'fail', 'error answer', 'asked to fail'],
    ['completions', 'unfinished', 'bad response', 'ended before [DONE]'],
    ['chat', 'close', 'connection lost', 'before the end of its answer'],
  ] as const)('is counted apart, with its reason: %s, %s', async (endpoint, text, kind, message) => {
    const point = await measure(endpoint, [text, 'fine'], { concurrency: 1 });
    expect(point).toMatchObject({ requestCount: 2, errorCount: 2 });
    expect(point.errorsByKind).toMatchObject([{ kind, count: 2 }]);
    expect(point.errorsByKind?.[0]?.message).toContain(message);
    expect(point.generation).toMatchObject({ outputTokens: 8, stalledRequests: 0 });
  });
});
