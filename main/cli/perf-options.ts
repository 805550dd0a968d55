import type { Command } from 'commander';
import { withScheme } from '../contract/address';
import { addKindOptions } from './perf-kind';
import type { KindOptions } from './perf-kind';
import { addTlsOptions } from './tls-options';
import type { TlsOptions } from './tls-options';

/** Options of `perf` as commander gives them. */
export interface PerfOptions extends KindOptions, TlsOptions {
  readonly url: string;
  readonly grpcUrl?: string;
  readonly model: readonly string[];
  readonly modelVersion: string;
  readonly batchSizes: string;
  readonly concurrency?: string;
  readonly requestRate?: string;
  readonly requestDistribution: string;
  readonly requestSeed?: string;
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
  readonly measurementMode: string;
  readonly measurementIntervalMs: string;
  readonly measurementRequestCount: string;
  readonly stabilityPercentage: string;
  readonly maxTrials?: string;
  readonly inTurns: boolean;
  readonly warmupMs: string;
  readonly allowRemoteLoad?: boolean;
  readonly remoteConcurrency?: string;
  readonly remoteRequestRate?: string;
  readonly json?: boolean;
}

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];

export function addPerfOptions(command: Command): Command {
  command
    .requiredOption('--url <url>', 'HTTP address: host:8000, http://host:8000 or https://host', withScheme)
    .option('--grpc-url <host:port>', 'gRPC address; default port 8001 of the same host; grpcs:// for TLS')
    .requiredOption('--model <name>', 'model name; several are driven at once, NAME:2 twice as hard', collect)
    .option('--model-version <n>', 'model version; the server chooses when absent', '')
    .option('--batch-sizes <list>', 'batch sizes', '1')
    .option('--concurrency <range>', 'concurrent requests, a list or START:END:STEP; default 1')
    .option('--request-rate <range>', 'requests a second, sent when due: a list or START:END:STEP')
    .option('--request-distribution <name>', 'constant or poisson', 'constant')
    .option('--request-seed <n>', 'of the times of poisson; the same seed sends at the same times')
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
    .option(
      '--measurement-mode <mode>',
      'time_windows, or count_windows: a window has as many requests',
      'time_windows',
    )
    .option('--measurement-interval-ms <n>', 'length of a window', '2000')
    .option(
      '--measurement-request-count <n>',
      'requests of a count window, which lasts a second at least',
      '50',
    )
    .option('--stability-percentage <n>', 'a level is steady when three windows lie within this', '10')
    .option(
      '--max-trials <n>',
      'windows of a level, one after the other, before it counts as not steady; default 10',
    )
    .option(
      '--no-in-turns',
      'of several levels: each by itself until it is steady, not three rounds of a window each',
    )
    .option('--warmup-ms <n>', 'time before the first window, discarded', '1000')
    .option('--allow-remote-load', 'allow load on another machine')
    .option('--remote-concurrency <n>', 'most concurrent requests on another machine; default 1024')
    .option('--remote-request-rate <n>', 'most requests per second on another machine; default 10000')
    .option('--json', 'one JSON document on stdout, people read stderr');
  return addTlsOptions(addKindOptions(command));
}
