import { resolve } from 'node:path';
import { isLoopback, shownAddress, withScheme } from '../../contract/address';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { present } from '../../contract/present';
import type { ServerLoad } from '../../contract/run/server-load';
import { planServerLoad } from '../../contract/run/server-plan';
import { flagOf, readFieldOptions } from '../field-options';
import { readHeaders, readNumber, readShapes } from '../read-values';
import { readTlsOptions } from '../tls-options';
import type { PerfOptions } from './perf-options';

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

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw invalidInput(
    '--url',
    `"${shownAddress(text)}" is not an HTTP address`,
    'For example --url http://localhost:8000',
  );
}

/** gRPC speaks TLS when its address begins with grpcs://, or HTTP does. Throws input-invalid. */
export function readAddresses(options: PerfOptions): ServerLoad['addresses'] {
  const url = httpUrl(options.url);
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? '443' : '80') : url.port;
  const [, scheme, grpc = `${url.hostname}:8001`] =
    /^(?:(grpcs?|https?):\/\/)?(.+?)\/?$/.exec(options.grpcUrl ?? '') ?? [];
  if (options.allowRemoteLoad !== true) {
    refuseOtherMachine(url.hostname, '--url');
    refuseOtherMachine(grpc, '--grpc-url');
  }
  const grpcSecure = scheme === undefined ? secure : scheme.endsWith('s');
  const tls = readTlsOptions(options, secure || grpcSecure);
  return {
    http: `${url.hostname}:${port}`,
    grpc,
    httpTls: secure ? tls : null,
    grpcTls: grpcSecure ? tls : null,
    metrics: readMetricsAddress(options.metricsUrl, url),
  };
}

const metricsPort = 8002;

/** Two ports above HTTP, as Triton's defaults 8000 and 8002 are. Throws input-invalid. */
function readMetricsAddress(given: string | undefined, http: URL): ServerLoad['addresses']['metrics'] {
  const path = '/metrics';
  if (given === undefined) {
    const isGuessed = isLoopback(http.hostname) && http.protocol === 'http:' && http.port !== '';
    return isGuessed ? { address: `${http.hostname}:${Number(http.port) + 2}`, path } : null;
  }
  const text = withScheme(given);
  const url = URL.canParse(text) ? new URL(text) : null;
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
  const addresses = readAddresses(options);
  const given = await readFieldOptions(options, 'perf');
  const names = readHeaders(options.header ?? []).map(({ name }) => name);
  try {
    return planServerLoad({
      addresses,
      ...present({ host: options.host }),
      models: readModelNames(options.model),
      modelVersion: options.modelVersion,
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
