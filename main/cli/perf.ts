import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { toWire, WorkbenchError } from '../contract/errors';
import type { WireError } from '../contract/errors';
import type { LoadPoint } from '../contract/results';
import { loadTools, protocols } from '../contract/run-spec';
import { generateInput } from '../perf/generate-input';
import type { LoadLevel } from '../perf/load-tool';
import { createTritonClient } from '../triton/client';
import type { CliContext } from './context';
import { exitCodes, formatTable, milliseconds, perSecond } from './output';
import { readNumber, readNumbers } from './read-spec';

interface PerfOptions {
  readonly url: string;
  readonly grpcUrl?: string;
  readonly model: string;
  readonly modelVersion: string;
  readonly batchSizes: string;
  readonly concurrency: string;
  readonly loadTool: string;
  readonly protocol: string;
  readonly shape?: readonly string[];
  readonly inputData: string;
  readonly measurementIntervalMs: string;
  readonly stabilityPercentage: string;
  readonly maxTrials: string;
  readonly warmupMs: string;
  readonly allowRemoteLoad?: boolean;
  readonly json?: boolean;
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];

function chosen<Value extends string>(flag: string, values: readonly Value[], value: string): Value {
  const found = values.find((known) => known === value);
  if (found === undefined) {
    throw new WorkbenchError('input-invalid', `"${value}" is none of ${values.join(', ')}`, { where: flag });
  }
  return found;
}

/** `host:port` of both interfaces. Throws input-invalid. */
function addresses(options: PerfOptions): { readonly http: string; readonly grpc: string } {
  const url = URL.canParse(options.url) ? new URL(options.url) : null;
  if (url?.protocol !== 'http:') {
    throw new WorkbenchError('input-invalid', `"${options.url}" is not an http address`, {
      where: '--url',
      remedy: 'For example --url http://localhost:8000',
    });
  }
  if (!loopback.test(url.hostname) && options.allowRemoteLoad !== true) {
    throw new WorkbenchError(
      'input-invalid',
      `${url.hostname} is another machine: the load would fall on it`,
      {
        where: '--url',
        remedy: 'If that is wanted, say --allow-remote-load.',
      },
    );
  }
  return {
    http: `${url.hostname}:${url.port === '' ? '80' : url.port}`,
    grpc: options.grpcUrl ?? `${url.hostname}:8001`,
  };
}

function readShapes(texts: readonly string[]): Record<string, number[]> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, dims] = /^([^:]+):([\d,]+)$/.exec(text) ?? [];
      if (name === undefined || dims === undefined) {
        throw new WorkbenchError('input-invalid', `"${text}" is not of the form NAME:3,224,224`, {
          where: '--shape',
        });
      }
      return [name, readNumbers('--shape', dims)];
    }),
  );
}

async function measure(context: CliContext, options: PerfOptions): Promise<number> {
  const output = context.output(options);
  const address = addresses(options);
  const tool = chosen('--load-tool', loadTools, options.loadTool);
  const protocol = chosen('--protocol', protocols, options.protocol);
  const mode = chosen('--input-data', ['random', 'zero'] as const, options.inputData);
  const batchSizes = readNumbers('--batch-sizes', options.batchSizes);
  const levels: LoadLevel[] = batchSizes.flatMap((batchSize) =>
    readNumbers('--concurrency', options.concurrency).map((concurrency) => ({ batchSize, concurrency })),
  );
  const client = createTritonClient(address.http);
  const metadata = await client.modelMetadata(options.model, options.modelVersion);
  const config = await client.modelConfig(options.model, options.modelVersion);
  const batched = config.maxBatchSize > 0;
  const controller = new AbortController();
  const cancel = () => {
    if (controller.signal.aborted) process.exit(exitCodes.cancelled);
    controller.abort();
  };
  process.on('SIGINT', cancel);
  const core = await context.core();
  const dir = await mkdtemp(join(tmpdir(), 'triton-workbench-perf-'));
  const held: { release: () => Promise<void> } = { release: () => Promise.resolve() };
  const points: LoadPoint[] = [];
  const missing: { level: LoadLevel; error: WireError }[] = [];
  try {
    const shapes = readShapes(options.shape ?? []);
    const inputData = await generateInput(metadata.inputs, { batched, shapes, mode, dir });
    const loadTool = core.loadTools[tool];
    held.release = await core.takeDevice(options.url, {
      what: `perf of ${options.model} (process ${process.pid})`,
      signal: controller.signal,
      onWaiting: (forWhat) => {
        output.say(`waiting for ${forWhat}, which measures on the same machine`);
      },
    });
    for (const [index, level] of levels.entries()) {
      try {
        const point = await loadTool.measure({
          httpAddress: address.http,
          grpcAddress: address.grpc,
          protocol,
          modelName: options.model,
          modelVersion: options.modelVersion,
          inputData,
          inputDataDir: dir,
          level,
          batched,
          settings: {
            measurementMode: 'time_windows',
            measurementIntervalMs: readNumber('--measurement-interval-ms', options.measurementIntervalMs),
            measurementRequestCount: 50,
            stabilityPercentage: readNumber('--stability-percentage', options.stabilityPercentage),
            maxTrials: readNumber('--max-trials', options.maxTrials),
            warmupMs: readNumber('--warmup-ms', options.warmupMs),
          },
          workDir: join(dir, `level-${index}`),
          signal: controller.signal,
          onWindow: () => undefined,
          onLog: () => undefined,
          onCommand: (argv) => {
            output.say(argv.join(' '));
          },
        });
        points.push(point);
        output.say(
          `batch ${level.batchSize}, concurrency ${level.concurrency}: ${perSecond(point.inferencesPerSecond)} inferences/s, ` +
            `p99 ${milliseconds(point.p99Us)} ms${point.flags.length === 0 ? '' : ` [${point.flags.join(', ')}]`}`,
        );
      } catch (error) {
        if (controller.signal.aborted) break;
        missing.push({ level, error: toWire(error) });
        output.say(
          `batch ${level.batchSize}, concurrency ${level.concurrency}: no result: ${toWire(error).message}`,
        );
      }
    }
  } finally {
    process.off('SIGINT', cancel);
    await held.release();
    await rm(dir, { recursive: true, force: true });
  }
  if (output.json) output.document({ points, missing });
  else if (points.length > 0) {
    const rows = points.map((point) => [
      String(point.batchSize),
      String(point.concurrency),
      perSecond(point.inferencesPerSecond),
      ...[
        point.clientSendUs,
        point.networkServerSendRecvUs,
        point.serverQueueUs,
        point.serverComputeInputUs,
        point.serverComputeInferUs,
        point.serverComputeOutputUs,
        point.clientRecvUs,
        point.p50Us,
        point.p90Us,
        point.p95Us,
        point.p99Us,
        point.avgUs,
      ].map(milliseconds),
    ]);
    output.say('Times in ms.');
    output.say(
      formatTable(
        'batch,concurrency,inferences/s,client send,network,queue,compute input,infer,output,client recv,p50,p90,p95,p99,avg'.split(
          ',',
        ),
        rows,
      ),
    );
  }
  if (controller.signal.aborted) return exitCodes.cancelled;
  return missing.length > 0 ? exitCodes.failed : exitCodes.done;
}

/** `perf`: measures any running Triton. */
export function addPerf(program: Command, context: CliContext): void {
  program
    .command('perf')
    .description('Measure a model on any running Triton')
    .requiredOption('--url <url>', 'HTTP address, http://host:8000')
    .option('--grpc-url <host:port>', 'gRPC address; default port 8001 of the same host')
    .requiredOption('--model <name>', 'model name')
    .option('--model-version <n>', 'model version; the server chooses when absent', '')
    .option('--batch-sizes <list>', 'batch sizes', '1')
    .option('--concurrency <list>', 'concurrent requests', '1')
    .option('--load-tool <name>', 'native or perf_analyzer', 'native')
    .option('--protocol <name>', 'grpc or http', 'grpc')
    .option('--shape <NAME:dims>', 'dimensions of an input with dynamic ones, repeatable', collect)
    .option('--input-data <mode>', 'random or zero', 'random')
    .option('--measurement-interval-ms <n>', 'length of a window', '5000')
    .option('--stability-percentage <n>', 'a level is steady when three windows lie within this', '10')
    .option('--max-trials <n>', 'windows before a level counts as not steady', '10')
    .option('--warmup-ms <n>', 'time before the first window, discarded', '1000')
    .option('--allow-remote-load', 'allow load on another machine')
    .option('--json', 'one JSON document on stdout, people read stderr')
    .action(async (options: PerfOptions) => {
      context.exit(await measure(context, options));
    });
}
