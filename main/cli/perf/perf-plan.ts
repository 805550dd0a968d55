import { resolve } from 'node:path';
import type { Command } from 'commander';
import { fromWire, invalidInput, toWire, type WireError, WorkbenchError } from '../../contract/errors';
import { endpoints, isOpenai, protocolOfEndpoint } from '../../contract/load/generation';
import type { Protocol } from '../../contract/run/run-spec';
import type { ServerLoad } from '../../contract/run/server-load';
import { treeOf } from '../../contract/run/upstream-variables';
import { getAt, mergeTrees, present, type Tree } from '../../contract/trees';
import { metricsOfFrontend, planReplayedLoad } from '../../domain/run/server-plan';
import { exists, requireOutput } from '../../platform/files';
import { addFieldOptions, addTlsOptions, collect, flagOf, readFieldOptions } from '../field-options';
import { lengthsHelp, readLengths, requireMade } from '../read-lengths';
import { readBudgetMs, readDuration, readHeaders, readNumber, readShapes } from '../read-values';
import { protocolOfVia, readVia, resolveAddresses } from './perf-addresses';
import type { PerfOptions } from './perf-options';
import { addAnalyzerOptions, readAnalyzerOptions } from './read-analyzer-options';

interface ReadRange {
  /** Ascending. */
  readonly levels: readonly number[];
  /** A binary search ends when two neighbors differ by this much. */
  readonly precision: number;
}

/** Upper bound of an open range; searches reach their latency limit long before it. */
const mostOpenLevels = 1024;
const mostOpen = { concurrency: 1024, rate: 10_000 };
/** Bounds a range whose step was forgotten. */
const mostLevels = 10_000;

const stepped = (start: number, step: number, count: number): number[] =>
  // Multiplied, not accumulated: 0.1 three times is not 0.3.
  Array.from({ length: count }, (_unused, index) => start + index * step);

interface RangeKind {
  /** Levels are whole numbers. */
  readonly whole: boolean;
  readonly binary: boolean;
  /** A latency limit ends the range. */
  readonly limited: boolean;
}
type Refused = (message: string) => WorkbenchError;

const counted = (count: number, refused: Refused): number => {
  if (count > mostLevels) throw refused(`more than ${mostLevels} levels`);
  return count;
};

/** Ends at the latency limit. */
function openRange(start: number, step: number, kind: RangeKind, refused: Refused): ReadRange {
  if (kind.binary) throw refused('a binary search needs an end');
  if (!kind.limited) throw refused('without an end, a latency limit (-l) is needed');
  const largest = Math.max(start, kind.whole ? mostOpen.concurrency : mostOpen.rate);
  const count = Math.min(mostOpenLevels, Math.floor((largest - start) / step) + 1);
  return { levels: stepped(start, step, count), precision: 1 };
}

/** In a binary search the step is the precision. Midpoints of whole numbers are rounded down. */
function binaryRange(
  [start, end, step]: readonly [number, number, number],
  { whole }: RangeKind,
  refused: Refused,
): ReadRange {
  const halves = 2 ** Math.max(0, Math.ceil(Math.log2((end - start) / step)));
  const [unit, precision] = whole ? [1, step] : [(end - start) / halves, 1];
  const count = end === start ? 1 : Math.round((end - start) / unit) + 1;
  return { levels: stepped(start, unit, counted(count, refused)), precision };
}

/** `START:END:STEP` of perf_analyzer; end 0 means open. Throws input-invalid for what perf_analyzer refuses. */
function readAnalyzerRange(flag: string, text: string, kind: RangeKind): ReadRange {
  const [start = 0, end = start, step = 1, ...rest] = text.split(':').map((part) => readNumber(flag, part));
  const refused: Refused = (message) =>
    invalidInput(flag, `"${text}": ${message}`, 'Give START:END:STEP, for example 100:500:100.');
  if (rest.length > 0) throw refused('a range has three parts');
  if (!(start > 0)) throw refused('the start is not above 0');
  if (!(step > 0)) throw refused('the step is not above 0');
  if (end === 0) return openRange(start, step, kind, refused);
  if (end < start) throw refused('the end is below the start');
  if (kind.binary) return binaryRange([start, end, step], kind, refused);
  const count = Math.floor((end - start) / step + 1e-9) + 1;
  return { levels: stepped(start, step, counted(count, refused)), precision: 1 };
}

const ranges = [
  { attribute: 'concurrency', flag: '--concurrency', whole: true },
  { attribute: 'requestRate', flag: '--request-rate', whole: false },
] as const;

/** Ranges as lists of levels, and the precision of a binary search in levels. Throws input-invalid. */
function withRanges(typed: PerfOptions): {
  readonly options: PerfOptions;
  readonly precision: number;
} {
  const how = {
    binary: typed['search'] === 'binary',
    limited: ![undefined, '0'].includes(typed['latencyThreshold'] as string | undefined),
  };
  let options = typed;
  let precision = 1;
  for (const { attribute, flag, whole } of ranges) {
    const text = typed[attribute];
    if (typeof text !== 'string' || !text.includes(':')) continue;
    const read = readAnalyzerRange(flag, text, { whole, ...how });
    options = { ...options, [attribute]: read.levels.join(',') };
    precision = read.precision;
  }
  return { options, precision };
}

const protocolPath = ['performance', 'protocol'];
const endpointPath = ['performance', 'generation', 'endpoint'];

function addAddressOptions(command: Command): Command {
  return command
    .option(
      '-u, --url <url>',
      'Address of Triton: host:port, with the protocol detected; http://host:8000 or https://host, which is then measured over HTTP; or grpc://host:8001. Default: localhost:8000.',
    )
    .option(
      '--grpc-url <host:port>',
      'gRPC address, where --url is the HTTP address; grpcs:// for TLS. Default: the port after that of HTTP, 443 for https://host.',
    )
    .option(
      '--metrics-url <url>',
      'Address of Triton’s metrics, from which GPU and CPU readings come. Default: two ports above HTTP on this machine, none on another.',
    )
    .option(
      '--via <url>',
      'Gateway in front of the server, as http://host:port, https://host or grpc://host:port: each level is also measured through it, in short turns, and the difference is shown by parts of the latency.',
    )
    .option(
      '--host <name>',
      'Host of "hosts list" on which the load generator runs, in a container; addresses are as seen from that host, for example --url 127.0.0.1:8000. Default: this machine.',
    );
}

export function addPerfOptions(command: Command): Command {
  addAddressOptions(command)
    .option(
      '--model-repository <dir>',
      'In place of --url: a model repository on which the local Triton is started for the measurement; files and config.pbtxt are served as they are.',
    )
    .option(
      '--with <models>',
      'With --model-repository: further models to load, separated by commas, for example those that a BLS model calls.',
    )
    .option('--trust', 'With --model-repository: trust the current code of the models that are loaded.')
    .requiredOption(
      '-m, --model <name>',
      'Model name. Repeat it to load several models at once; NAME:2 gets twice the load.',
      collect,
    )
    .option('-x, --model-version <n>', 'Model version. Default: the server chooses.')
    .option(
      '--shape <NAME:dims>',
      'Dimensions of an input with dynamic ones, without the batch: x:3,224,224 or x=3,224,224. Repeatable.',
      collect,
    )
    .option(
      '--input-data <source>',
      'Values to send: random, zero, or a file (JSON, npz, lines of .txt, .csv, .tsv) or folder; NAME=... for one model. Default: random.',
      collect,
    )
    .option('--string-length <n>', 'Characters of each generated string. Default: 128.')
    .option('--length-distribution <lengths>', lengthsHelp)
    .option('--string-data <text>', 'Every generated string, instead of random ones.')
    .option('--metrics-interval <ms>', 'How often the metrics are read. Default: 1000.', (text) =>
      readDuration('--metrics-interval', text, 'ms'),
    );
  addFieldOptions(command, 'perf')
    .option(
      '--no-in-turns',
      'Measure each of several levels until it is steady, instead of in rounds with one window per level.',
    )
    .option(
      '--hold-edge [time]',
      'Raise the request rate until the latency threshold is exceeded, then measure just below it for this time; --request-rate is the first rate. Default: 30s.',
      readHoldS,
    )
    .option('--allow-remote-load', 'Allow load on another machine.')
    .option('--remote-concurrency <n>', 'Maximum concurrent requests to another machine. Default: 1024.')
    .option('--remote-request-rate <n>', 'Maximum requests per second to another machine. Default: 10000.')
    .option(
      '--p99-budget-ms <ms>',
      'Also show the best level within this p99 latency, in milliseconds; saved with the run.',
      readBudgetMs,
    )
    .option(
      '-H, --header <NAME: value>',
      'Header of every request, for example "Authorization: Bearer …"; its value is not kept. Repeatable. Only with the built-in load generator.',
      collect,
    )
    .option('-f, --csv <file>', 'Also write the levels to a CSV file, with the columns of the reports.')
    .option(
      '--profile-export-file <file>',
      'Also write when each request was sent and answered to a new file, as perf_analyzer exports it.',
    )
    .option('--json', 'Print one JSON document on stdout, and progress on stderr.');
  return addAnalyzerOptions(addTlsOptions(command));
}

const usualHoldS = 30;

/** Throws input-invalid. */
function readHoldS(text: string): number {
  const seconds = readDuration('--hold-edge', text, 's');
  if (seconds >= 1 && seconds <= 3600) return seconds;
  throw invalidInput('--hold-edge', `"${text}" is not a time from 1s to 1h`, 'For example --hold-edge 30s.');
}

/** `NAME` or `NAME:weight`; names are unique. Throws input-invalid. */
export function readModelNames(texts: readonly string[]): ServerLoad['models'][number][] {
  const models = texts.map((text) => {
    const [, name = '', weight = '1'] = /^(.+?)(?::([\d.]+))?$/.exec(text) ?? [];
    return { name, weight: Number(weight) };
  });
  for (const [index, { name, weight }] of models.entries()) {
    if (name === '' || !(weight > 0) || !Number.isFinite(weight)) {
      throw invalidInput(
        '--model',
        `"${texts[index] ?? ''}" is not of the form NAME or NAME:weight`,
        'For example --model resnet50 --model bert:2.',
      );
    }
    if (models.findIndex((other) => other.name === name) !== index) {
      throw invalidInput('--model', `Model ${name} is given twice`, `Give it a weight: --model ${name}:2.`);
    }
  }
  return models;
}

/** Absolute, because a run can be resumed from another folder. */
function absoluteSources(sources: readonly string[], models: readonly string[]): readonly string[] {
  const names = readModelNames(models).map(({ name }) => name);
  return sources.map((source) => {
    const name = names.find((one) => source.startsWith(`${one}=`));
    const path = name === undefined ? source : source.slice(name.length + 1);
    const whole = path === 'random' || path === 'zero' ? path : resolve(path);
    return name === undefined ? whole : `${name}=${whole}`;
  });
}

/** undefined: the default. Throws input-invalid. */
function readStrings({ stringLength, stringData }: PerfOptions): ServerLoad['strings'] {
  if (stringData !== undefined) return { data: stringData };
  if (stringLength === undefined) return undefined;
  const length = readNumber('--string-length', stringLength);
  if (Number.isInteger(length) && length > 0) return { length };
  throw invalidInput('--string-length', `"${stringLength}" is not a number of characters`);
}

/** undefined: one sample. Throws input-invalid. */
async function readLoadLengths({ lengthDistribution, inputData = [] }: PerfOptions) {
  requireMade(lengthDistribution, inputData);
  return lengthDistribution === undefined ? undefined : readLengths(lengthDistribution);
}

/** Throws input-invalid if the file exists; perf_analyzer does not overwrite either. */
async function readProfileExport({ profileExportFile }: PerfOptions): Promise<string | undefined> {
  if (profileExportFile === undefined) return undefined;
  const path = resolve(profileExportFile);
  if (await exists(path))
    throw invalidInput('--profile-export-file', `${path} exists`, 'Name a file that does not exist.');
  await requireOutput(path);
  return path;
}

/** Options that are not fields, and fields with another option in `perf`. */
const flags: Readonly<Record<string, string>> = {
  models: '--model',
  modelVersion: '--model-version',
  headers: '--header',
  via: '--via',
  profileExportFile: '--profile-export-file',
  url: '--url',
  'engine.tls.serverName': '--tls-server-name',
  'engine.tls.insecure': '--tls-insecure',
  'engine.limits.concurrency': '--remote-concurrency',
  'engine.limits.requestsPerSecond': '--remote-request-rate',
};

/** Replaces field paths by the typed option names. */
export function wireByFlag({ where, remedy, ...error }: WireError, typed: PerfOptions): WireError {
  const flag = (path: string): string =>
    path.startsWith('model.shapes.') ? '--shape' : (flags[path] ?? flagOf(path, typed));
  return {
    ...error,
    ...present({
      where: where === undefined ? undefined : flag(where),
      remedy: remedy?.replace(/\b(?:engine|performance)(?:\.\w+)+/g, flag),
    }),
  };
}

export const byFlag = (error: unknown, typed: PerfOptions): unknown =>
  error instanceof WorkbenchError ? fromWire(wireByFlag(toWire(error), typed)) : error;

const withProtocol = (fields: Tree, protocol: Protocol | undefined): Tree =>
  protocol === undefined ? fields : mergeTrees(fields, treeOf(protocolPath.join('.'), protocol));

function limitOf(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : readNumber(flag, text);
}

/** Throws input-invalid and combination-unsupported; {@link byFlag} names the option of a field. */
export async function readPerfPlan(
  typed: PerfOptions,
  readReplay: Parameters<typeof planReplayedLoad>[1],
  say: (line: string) => void = () => undefined,
): Promise<ServerLoad> {
  const { options: named, analyzerArguments, notes } = readAnalyzerOptions(typed);
  const { options, precision } = withRanges(named);
  for (const note of notes) say(note);
  const fields = await readFieldOptions(options, 'perf');
  const names = readHeaders(options.header ?? []).map(({ name }) => name);
  const endpoint = endpoints.find((name) => name === getAt(fields, endpointPath));
  const implied = endpoint && protocolOfEndpoint(endpoint);
  const { addresses: found, protocol } = await resolveAddresses(
    options,
    getAt(fields, protocolPath) ?? implied ?? protocolOfVia(options),
    say,
  );
  const isFrontend = endpoint !== undefined && isOpenai(endpoint);
  const addresses = isFrontend ? ofFrontend(found, options) : found;
  const given = withProtocol(fields, protocol);
  const wanted = {
    addresses,
    ...present({ host: options.host, via: readVia(options, protocol) }),
    models: readModelNames(options.model),
    modelVersion: options.modelVersion ?? '',
    sources: absoluteSources(options.inputData ?? [], options.model),
    shapes: readShapes(options.shape ?? []),
    given,
    ...(names.length === 0 ? {} : { headerNames: names }),
    ...present({
      analyzerArguments: analyzerArguments.length === 0 ? undefined : analyzerArguments,
      strings: readStrings(options),
      lengths: await readLoadLengths(options),
      metricsIntervalMs: options.metricsInterval,
      profileExportFile: await readProfileExport(options),
    }),
    precision,
    inTurns: options.inTurns,
    ...present({ holdEdgeS: options.holdEdge === true ? usualHoldS : options.holdEdge }),
    limits: {
      concurrency: limitOf('--remote-concurrency', options.remoteConcurrency),
      requestsPerSecond: limitOf('--remote-request-rate', options.remoteRequestRate),
    },
  };
  return planReplayedLoad(wanted, readReplay);
}

const ofFrontend = (
  addresses: ServerLoad['addresses'],
  { metricsUrl }: PerfOptions,
): ServerLoad['addresses'] =>
  metricsUrl === undefined ? { ...addresses, metrics: metricsOfFrontend(addresses) } : addresses;
