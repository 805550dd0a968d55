import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isLoopback, parseRemoteUrl, shownAddress, urlOrNull, withScheme } from '../../contract/address';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import type { ServerLoad } from '../../contract/run/server-load';
import { planServerLoad } from '../../contract/run/server-plan';
import { present } from '../../contract/trees';
import {
  addFieldOptions,
  addTlsOptions,
  collect,
  flagOf,
  type GivenOptions,
  readFieldOptions,
  readTlsOptions,
  type TlsOptions,
} from '../field-options';
import { readBudgetMs, readHeaders, readNumber, readShapes } from '../read-values';

/** Options of `perf` as commander gives them; those of fields by their own names. */
export interface PerfOptions extends GivenOptions, TlsOptions {
  readonly url: string;
  readonly grpcUrl?: string;
  readonly metricsUrl?: string;
  readonly host?: string;
  readonly model: readonly string[];
  readonly modelVersion?: string;
  readonly shape?: readonly string[];
  readonly inputData?: readonly string[];
  readonly inTurns: boolean;
  readonly allowRemoteLoad?: boolean;
  readonly remoteConcurrency?: string;
  readonly remoteRequestRate?: string;
  readonly csv?: string;
  readonly header?: readonly string[];
  readonly p99BudgetMs?: number;
  readonly json?: boolean;
}

export function addPerfOptions(command: Command): Command {
  command
    .requiredOption(
      '-u, --url <url>',
      'HTTP address: host:8000, http://host:8000 or https://host.',
      withScheme,
    )
    .option(
      '--grpc-url <host:port>',
      'gRPC address; grpcs:// for TLS. Default: the port after that of HTTP, 443 for https://host.',
    )
    .option(
      '--metrics-url <url>',
      'Address of Triton’s metrics, from which GPU and CPU readings come. Default: two ports above HTTP on this machine, none on another.',
    )
    .option(
      '--host <name>',
      'Host of the list of hosts on which the load generator runs, in a container; addresses are those that the host sees, for example --url 127.0.0.1:8000. Default: this machine.',
    )
    .requiredOption(
      '-m, --model <name>',
      'Model name. Repeat it to load several models at once, NAME:2 twice as much.',
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
      'Values to send: random, zero, or a JSON file, npz file or folder; NAME=... for one model. Default: random.',
      collect,
    );
  addFieldOptions(command, 'perf')
    .option(
      '--no-in-turns',
      'Measure each of several levels until it is steady, instead of in rounds with one window per level.',
    )
    .option('--allow-remote-load', 'Allow load on another machine.')
    .option('--remote-concurrency <n>', 'Most concurrent requests on another machine. Default: 1024.')
    .option('--remote-request-rate <n>', 'Most requests per second on another machine. Default: 10000.')
    .option(
      '--p99-budget-ms <ms>',
      'Also say the best level within this p99 latency, in milliseconds; the run keeps it.',
      readBudgetMs,
    )
    .option(
      '-H, --header <NAME: value>',
      'Header of every request, for example "Authorization: Bearer …"; its value is not kept. Repeatable. Only with the native load tool.',
      collect,
    )
    .option('-f, --csv <file>', 'Also write the levels to a CSV file, with the columns of the reports.')
    .option('--json', 'Print one JSON document on stdout, and progress on stderr.');
  return addTlsOptions(command);
}

/** `NAME` or `NAME:weight`, any number of them, each once. Throws input-invalid. */
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

/** gRPC speaks TLS when its address begins with grpcs://, or HTTP does. Throws input-invalid. */
export function readAddresses(options: PerfOptions): ServerLoad['addresses'] {
  const server = parseRemoteUrl(options.url);
  const { http, secure } = server;
  const [, scheme, grpc = server.grpc] =
    /^(?:(grpcs?|https?):\/\/)?(.+?)\/?$/.exec(options.grpcUrl ?? '') ?? [];
  if (options.allowRemoteLoad !== true) {
    refuseOtherMachine(http, '--url');
    refuseOtherMachine(grpc, '--grpc-url');
  }
  const grpcSecure = scheme === undefined ? secure : scheme.endsWith('s');
  const tls = readTlsOptions(options, secure || grpcSecure);
  return {
    http,
    grpc,
    httpTls: secure ? tls : null,
    grpcTls: grpcSecure ? tls : null,
    metrics: readMetricsAddress(options.metricsUrl, server),
  };
}

const metricsPort = 8002;

/** Two ports above HTTP, as Triton's defaults 8000 and 8002 are. Throws input-invalid. */
function readMetricsAddress(
  given: string | undefined,
  { http, secure }: Pick<ReturnType<typeof parseRemoteUrl>, 'http' | 'secure'>,
): ServerLoad['addresses']['metrics'] {
  const path = '/metrics';
  if (given === undefined) {
    const [host = '', port = ''] = http.split(/:(?=\d+$)/);
    return isLoopback(http) && !secure ? { address: `${host}:${Number(port) + 2}`, path } : null;
  }
  const text = withScheme(given);
  const url = urlOrNull(text);
  if (url?.protocol !== 'http:') {
    throw invalidInput(
      '--metrics-url',
      `"${shownAddress(given)}" is not an HTTP address`,
      'For example --metrics-url http://localhost:8002/metrics',
    );
  }
  const port = url.port === '' ? metricsPort : url.port;
  return { address: `${url.hostname}:${port}`, path: url.pathname === '/' ? path : url.pathname };
}

function refuseOtherMachine(address: string, where: string): void {
  if (isLoopback(address)) return;
  const message = `${shownAddress(address)} is another machine and would receive the load`;
  throw invalidInput(where, message, 'To allow it, add --allow-remote-load.');
}

/** A run can be resumed from another folder. */
function absoluteSources(sources: readonly string[], models: readonly string[]): readonly string[] {
  const names = readModelNames(models).map(({ name }) => name);
  return sources.map((source) => {
    const name = names.find((one) => source.startsWith(`${one}=`));
    const path = name === undefined ? source : source.slice(name.length + 1);
    const whole = path === 'random' || path === 'zero' ? path : resolve(path);
    return name === undefined ? whole : `${name}=${whole}`;
  });
}

/** The options of what is not a field. */
const flags: Readonly<Record<string, string>> = {
  models: '--model',
  header: '--header',
  url: '--url',
  'limits.concurrency': '--remote-concurrency',
  'limits.requestsPerSecond': '--remote-request-rate',
};

/** The same error naming the option. */
function byFlag(error: unknown): unknown {
  if (!(error instanceof WorkbenchError) || error.where === undefined) return error;
  const { code, message, remedy, details } = error;
  const where = flags[error.where] ?? flagOf(error.where);
  return new WorkbenchError(code, message, { where, remedy, details, cause: error });
}

function limitOf(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : readNumber(flag, text);
}

/** Throws input-invalid and combination-unsupported, naming the option. */
export async function readPerfPlan(options: PerfOptions): Promise<ServerLoad> {
  const given = await readFieldOptions(options, 'perf');
  const names = readHeaders(options.header ?? []).map(({ name }) => name);
  try {
    return planServerLoad({
      addresses: readAddresses(options),
      ...present({ host: options.host }),
      models: readModelNames(options.model),
      modelVersion: options.modelVersion ?? '',
      sources: absoluteSources(options.inputData ?? [], options.model),
      shapes: readShapes(options.shape ?? []),
      given,
      ...(names.length === 0 ? {} : { headerNames: names }),
      inTurns: options.inTurns,
      limits: {
        concurrency: limitOf('--remote-concurrency', options.remoteConcurrency),
        requestsPerSecond: limitOf('--remote-request-rate', options.remoteRequestRate),
      },
    });
  } catch (error) {
    throw byFlag(error);
  }
}

type Told = Pick<ServerLoad, 'tools'> & {
  readonly settings: Pick<
    ServerLoad['settings'],
    'measurementMode' | 'measurementIntervalMs' | 'measurementRequestCount' | 'warmupMs'
  >;
};

/** What comes before the first window of a level. */
function warmupText({ tools, settings }: Told): string {
  if (!tools.includes('native')) return 'no warm-up (perf_analyzer has none)';
  const text = settings.warmupMs === 0 ? 'no warm-up' : `warm-up ${settings.warmupMs} ms, discarded`;
  return tools.includes('perf_analyzer') ? `${text} (perf_analyzer has none)` : text;
}

/** How each level is measured, in one line. */
export function planText(plan: Told): string {
  const { measurementMode, measurementIntervalMs, measurementRequestCount } = plan.settings;
  const windows =
    measurementMode === 'count_windows'
      ? `windows of ${measurementRequestCount} requests, at least one second each`
      : `windows of ${measurementIntervalMs} ms`;
  return `each level: ${warmupText(plan)}, then ${windows}`;
}
