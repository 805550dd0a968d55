import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { toWire, WorkbenchError } from '../contract/errors';
import type { WireError } from '../contract/errors';
import { crossCheck, fewestRounds } from '../contract/cross-check';
import { crossSummary } from '../contract/cross-check-text';
import type { MeasuringTurn } from '../contract/measuring-order';
import { toolsOf } from '../contract/measuring-order';
import type { LoadPoint } from '../contract/results';
import type { LoadTool } from '../contract/run-spec';
import {
  loadTools,
  outputCheckKinds,
  protocols,
  requestDistributions,
  searches,
  sharedMemories,
} from '../contract/run-spec';
import { levelText } from '../contract/level-text';
import type { LoadLevel } from '../contract/scenario-levels';
import { budgetLatencyUs } from '../contract/sweep';
import type { MeasureInput } from '../perf/load-tool';
import { assertLoadKind } from '../perf/load-kind';
import { createTritonClient } from '../triton/client';
import { readModelTraits } from '../triton/model-traits';
import { readTls } from '../triton/tls';
import type { TlsFiles } from '../contract/tls';
import type { CliContext } from './context';
import { exitCodes } from './output';
import { readLevels } from './perf-levels';
import { checkModels, measureModels, readModelNames, readPerfModels, weightedLevel } from './perf-models';
import { addKindOptions, readSequences } from './perf-kind';
import type { KindOptions } from './perf-kind';
import { addTlsOptions, readTlsOptions } from './tls-options';
import type { TlsOptions } from './tls-options';
import { composingTable, errorTable, pointLine, pointTable } from './perf-print';
import { readSearch, runSweep } from './perf-sweep';
import type { PerfSweep } from './perf-sweep';
import { crossCheckLines, withWords } from './print-cross-check';
import { readShapes } from './read-shapes';
import { readNumber } from './read-spec';

interface PerfOptions extends KindOptions, TlsOptions {
  readonly url: string;
  readonly grpcUrl?: string;
  readonly model: readonly string[];
  readonly modelVersion: string;
  readonly batchSizes: string;
  readonly concurrency?: string;
  readonly requestRate?: string;
  readonly requestDistribution: string;
  readonly requestIntervals?: string;
  readonly search: string;
  readonly latencyThreshold?: string;
  readonly sharedMemory: string;
  readonly outputSharedMemorySize: string;
  readonly repeats?: string;
  readonly crossCheck?: boolean;
  readonly loadTool: string;
  readonly protocol: string;
  readonly shape?: readonly string[];
  readonly inputData?: readonly string[];
  readonly checkOutputs: string;
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

interface Addresses {
  readonly http: string;
  readonly grpc: string;
  /** null: in the clear. */
  readonly httpTls: TlsFiles | null;
  readonly grpcTls: TlsFiles | null;
}

/** `host:port` of both interfaces; gRPC speaks TLS when its address begins with grpcs://, or HTTP does. Throws input-invalid. */
function addresses(options: PerfOptions): Addresses {
  const url = URL.canParse(options.url) ? new URL(options.url) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
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
  const secure = url.protocol === 'https:';
  const [, scheme, grpc = `${url.hostname}:8001`] =
    /^(?:(grpcs?|https?):\/\/)?(.+?)\/?$/.exec(options.grpcUrl ?? '') ?? [];
  const grpcSecure = scheme === undefined ? secure : scheme.endsWith('s');
  const tls = readTlsOptions(options, secure || grpcSecure);
  return {
    http: `${url.hostname}:${url.port === '' ? (secure ? '443' : '80') : url.port}`,
    grpc,
    httpTls: secure ? tls : null,
    grpcTls: grpcSecure ? tls : null,
  };
}

interface Results {
  readonly points: LoadPoint[];
  readonly missing: {
    readonly level: LoadLevel;
    readonly repeat?: number;
    readonly loadTool?: LoadTool;
    readonly error: WireError;
  }[];
}

/** How the levels are measured, by the options of rounds and tools. Throws input-invalid. */
function readRounds(options: PerfOptions): Pick<PerfSweep, 'repeats' | 'tools' | 'search'> {
  const { crossCheck = false } = options;
  const loadTool = chosen('--load-tool', loadTools, options.loadTool);
  const repeats = readNumber('--repeats', options.repeats ?? String(crossCheck ? fewestRounds : 1));
  if (!Number.isSafeInteger(repeats) || repeats < 1) {
    throw new WorkbenchError('input-invalid', `"${repeats}" is no count of rounds`, { where: '--repeats' });
  }
  const search = readSearch({
    search: chosen('--search', searches, options.search),
    latencyThreshold: options.latencyThreshold,
  });
  if (crossCheck && search !== null) {
    throw new WorkbenchError('combination-unsupported', 'A search measures with one tool alone', {
      where: '--cross-check',
      remedy: 'Cross-check levels: give --concurrency or --request-rate without a search.',
    });
  }
  const others = toolsOf({ loadTool, crossCheck }).slice(1);
  return { repeats, tools: [loadTool, ...others], search };
}

async function measure(context: CliContext, options: PerfOptions): Promise<number> {
  const output = context.output(options);
  const address = addresses(options);
  const { repeats, tools, search } = readRounds(options);
  const crossing = options.crossCheck === true;
  const protocol = chosen('--protocol', protocols, options.protocol);
  const sequences = readSequences(options);
  const { levels, intervalsUs } = await readLevels({ ...options, sequencesAtOnce: sequences?.concurrent });
  const settings: MeasureInput['settings'] = {
    measurementMode: 'time_windows',
    measurementIntervalMs: readNumber('--measurement-interval-ms', options.measurementIntervalMs),
    measurementRequestCount: 50,
    stabilityPercentage: readNumber('--stability-percentage', options.stabilityPercentage),
    maxTrials: readNumber('--max-trials', options.maxTrials),
    warmupMs: readNumber('--warmup-ms', options.warmupMs),
    requestDistribution: chosen('--request-distribution', requestDistributions, options.requestDistribution),
    requestIntervalsUs: [...intervalsUs],
    checkOutputs: chosen('--check-outputs', outputCheckKinds, options.checkOutputs),
    sharedMemory: chosen('--shared-memory', sharedMemories, options.sharedMemory),
    outputSharedMemoryBytes: readNumber('--output-shared-memory-size', options.outputSharedMemorySize),
    sequences,
    streaming: options.streaming ?? false,
  };
  const core = await context.core();
  const wanted = readModelNames(options.model);
  for (const tool of tools) {
    checkModels(core.loadTools[tool], wanted, {
      modelVersion: options.modelVersion,
      byIntervals: intervalsUs.length > 0,
    });
  }
  const client = createTritonClient(address.http, { tls: await readTls(address.httpTls) });
  for (const { name } of wanted) {
    assertLoadKind(await readModelTraits(client, { name, version: options.modelVersion }), {
      ...{ modelName: name, protocol, settings },
      batchSizes: levels.map((level) => level.batchSize),
    });
  }
  const controller = new AbortController();
  const aborted = () => controller.signal.aborted;
  const cancel = () => {
    if (aborted()) process.exit(exitCodes.cancelled);
    controller.abort();
  };
  process.on('SIGINT', cancel);
  const dir = await mkdtemp(join(tmpdir(), 'triton-workbench-perf-'));
  const held: { release: () => Promise<void> } = { release: () => Promise.resolve() };
  const results: Results = { points: [], missing: [] };
  let found: readonly LoadLevel[] | null;
  try {
    const models = await readPerfModels(client, wanted, {
      modelVersion: options.modelVersion,
      sources: options.inputData ?? [],
      shapes: readShapes(options.shape ?? []),
      dir,
    });
    held.release = await core.takeDevice(options.url, {
      what: `perf of ${wanted.map(({ name }) => name).join(' and ')} (process ${process.pid})`,
      signal: controller.signal,
      onWaiting: (forWhat) => {
        output.say(`waiting for ${forWhat}, which measures on the same machine`);
      },
    });
    let count = 0;
    const one = async ({ level, repeat, loadTool }: MeasuringTurn): Promise<LoadPoint | null> => {
      count += 1;
      let isTold = false;
      try {
        const measured = await measureModels(
          core.loadTools[loadTool],
          models.map((model) => ({
            httpAddress: address.http,
            grpcAddress: address.grpc,
            httpTls: address.httpTls,
            grpcTls: address.grpcTls,
            protocol,
            modelName: model.name,
            modelVersion: options.modelVersion,
            inputData: model.inputData,
            inputDataDir: model.inputDataDir,
            level: weightedLevel(level, model.weight),
            batched: model.batched,
            settings,
            workDir: join(dir, `level-${count}`),
            signal: controller.signal,
            onWindow: () => undefined,
            onLog: (lines) => {
              if (!isTold) for (const line of lines) output.say(line);
            },
            onCommand: (argv) => {
              // From here on perf_analyzer itself talks.
              isTold = true;
              output.say(argv.join(' '));
            },
          })),
        );
        const points = repeats > 1 || crossing ? measured.map((point) => ({ ...point, repeat })) : measured;
        results.points.push(...points);
        for (const point of points) output.say(`${crossing ? `${loadTool}, ` : ''}${pointLine(point)}`);
        // A search looks at the slowest of them.
        return points.reduce((worst, point) =>
          budgetLatencyUs(point) > budgetLatencyUs(worst) ? point : worst,
        );
      } catch (error) {
        if (aborted()) return null;
        results.missing.push({
          level,
          ...(repeats > 1 || crossing ? { repeat } : {}),
          ...(crossing ? { loadTool } : {}),
          error: toWire(error),
        });
        output.say(
          `${crossing ? `${loadTool}, ` : ''}${levelText(level)}: no result: ${toWire(error).message}`,
        );
        return null;
      }
    };
    found = await runSweep({ levels, repeats, tools, search, aborted, one });
  } finally {
    process.off('SIGINT', cancel);
    await held.release();
    await rm(dir, { recursive: true, force: true });
  }
  const { points, missing } = results;
  const crossed = crossing
    ? crossCheck({ points, missing: missing.map(({ level, ...hole }) => ({ ...level, ...hole })) })
    : null;
  if (output.json) {
    output.document({
      points,
      missing,
      ...(found === null ? {} : { found }),
      ...(crossed === null
        ? {}
        : { crossCheck: { summary: crossSummary(crossed), levels: crossed.map(withWords) } }),
    });
  } else if (crossed !== null) for (const line of crossCheckLines(crossed)) output.say(line);
  else if (points.length > 0) {
    const due = points.some((point) => point.requestRate !== undefined);
    output.say(due ? 'Times in ms; "due": from the time at which a request was due.' : 'Times in ms.');
    output.say(pointTable(points));
    for (const table of [composingTable(points), errorTable(points)]) if (table !== null) output.say(table);
  }
  for (const level of found ?? [])
    output.say(`the last within ${options.latencyThreshold ?? ''} ms: ${levelText(level)}`);
  if (found?.length === 0) output.say('No level is within the budget.');
  if (aborted()) return exitCodes.cancelled;
  return missing.length > 0 ? exitCodes.failed : exitCodes.done;
}

/** `perf`: measures any running Triton. */
export function addPerf(program: Command, context: CliContext): void {
  const command = program
    .command('perf')
    .description('Measure a model on any running Triton')
    .requiredOption('--url <url>', 'HTTP address, http://host:8000 or https://host')
    .option('--grpc-url <host:port>', 'gRPC address; default port 8001 of the same host; grpcs:// for TLS')
    .requiredOption('--model <name>', 'model name; several are driven at once, NAME:2 twice as hard', collect)
    .option('--model-version <n>', 'model version; the server chooses when absent', '')
    .option('--batch-sizes <list>', 'batch sizes', '1')
    .option('--concurrency <range>', 'concurrent requests, a list or START:END:STEP; default 1')
    .option('--request-rate <range>', 'requests a second, sent when due: a list or START:END:STEP')
    .option('--request-distribution <name>', 'constant or poisson', 'constant')
    .option('--request-intervals <file>', 'microseconds between requests, one a line, repeated')
    .option('--latency-threshold <ms>', 'search for the last level whose p99 is within this')
    .option('--search <kind>', 'none, linear or binary, over the concurrency or the rate', 'none')
    .option('--shared-memory <kind>', 'none, system or cuda: where tensors go', 'none')
    .option('--output-shared-memory-size <bytes>', 'of each output of a request', '102400')
    .option('--repeats <n>', 'rounds over all levels, one after the other; default 1, of a cross-check 3')
    .option('--cross-check', 'measure with both load tools in turns, and say where they differ')
    .option('--load-tool <name>', 'native or perf_analyzer', 'native')
    .option('--protocol <name>', 'grpc or http', 'grpc')
    .option('--shape <NAME:dims>', 'dimensions of an input with dynamic ones, repeatable', collect)
    .option(
      '--input-data <source>',
      'random (default), zero, or a JSON file, npz file or folder with values; NAME=... for one model',
      collect,
    )
    .option(
      '--check-outputs <kind>',
      'of some responses: none, form (names, types, shapes) or finite',
      'form',
    )
    .option('--measurement-interval-ms <n>', 'length of a window', '2500')
    .option('--stability-percentage <n>', 'a level is steady when three windows lie within this', '10')
    .option('--max-trials <n>', 'windows before a level counts as not steady', '10')
    .option('--warmup-ms <n>', 'time before the first window, discarded', '1000')
    .option('--allow-remote-load', 'allow load on another machine')
    .option('--json', 'one JSON document on stdout, people read stderr')
    .action(async (options: PerfOptions) => {
      context.exit(await measure(context, options));
    });
  addTlsOptions(addKindOptions(command));
}
