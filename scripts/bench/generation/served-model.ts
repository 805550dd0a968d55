import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Endpoint, isOpenai, protocolOfEndpoint } from '../../../main/contract/load/generation';
import { wantedTensors } from '../../../main/perf/input/wanted-tensor';
import type { MeasureInput } from '../../../main/perf/load-tool';
import { storePrompts } from '../../../main/perf/prompts/read-prompts';
import { createTritonClient } from '../../../main/triton/client';
import { optionalInputs } from '../../../main/triton/model-config';
import { languageModel } from '../../../test/support/language-model';
import { type OpenaiFrontend, startOpenaiFrontend } from '../../../test/support/openai-frontend';
import { startTestTriton, type TestTriton } from '../../../test/support/triton';

/** The model with known delays on a Triton, and the thin server of OpenAI's protocol in front of it. */
export interface ServedModel {
  readonly triton: TestTriton;
  readonly frontend: OpenaiFrontend;
  readonly version: string;
  stop(): Promise<void>;
}

export async function serveModel(): Promise<ServedModel> {
  const triton = await startTestTriton([languageModel]);
  const frontend = await startOpenaiFrontend(triton.httpAddress);
  const { version } = await createTritonClient(triton.httpAddress).serverMetadata();
  const stop = async () => {
    await frontend.close();
    await triton.stop();
  };
  return { triton, frontend, version, stop };
}

export async function writePrompts(dir: string, texts: readonly string[]): Promise<string> {
  const path = join(await mkdtemp(join(dir, 'prompts-')), 'prompts.jsonl');
  await writeFile(path, `${texts.map((text) => JSON.stringify({ text })).join('\n')}\n`);
  return path;
}

export interface Asked {
  readonly endpoint: Endpoint;
  readonly prompts: readonly string[];
  readonly outputTokens: number;
  readonly concurrency: number;
  readonly requests: number;
}

/** A level of exactly so many requests, after as many to warm up as are in flight; `generation` is the caller's. */
export async function levelOf(
  { triton, frontend }: ServedModel,
  { endpoint, prompts, outputTokens, concurrency, requests }: Asked,
  dir: string,
): Promise<MeasureInput> {
  const work = await mkdtemp(join(dir, 'level-'));
  const client = createTritonClient(triton.httpAddress);
  const { inputs } = await client.modelMetadata('lm');
  const optional = optionalInputs(await client.modelConfig('lm'));
  const inputData = await storePrompts(
    {
      ...{ path: await writePrompts(dir, prompts), endpoint, modelName: 'lm', outputTokens },
      inputs: wantedTensors(inputs, { batched: false, optional }),
    },
    work,
  );
  return {
    httpAddress: isOpenai(endpoint) ? frontend.address : triton.httpAddress,
    grpcAddress: triton.grpcAddress,
    protocol: protocolOfEndpoint(endpoint),
    ...{ modelName: 'lm', modelVersion: '', inputData, inputDataDir: work },
    ...{ batched: false, decoupled: true, level: { batchSize: 1, concurrency }, workDir: work },
    settings: {
      ...{ measurementMode: 'time_windows', measurementIntervalMs: 1000, measurementRequestCount: 50 },
      ...{ stabilityPercentage: 10, maxTrials: 1, warmupMs: 0, warmupRequestCount: concurrency },
      requestCount: requests,
      ...(endpoint === 'grpc-stream' ? { streaming: true } : {}),
    },
    signal: new AbortController().signal,
    ...{ onWindow: () => undefined, onLog: () => undefined, onCommand: () => undefined },
  };
}
