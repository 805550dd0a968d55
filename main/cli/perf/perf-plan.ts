import { resolve } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { present } from '../../contract/present';
import type { ServerLoad } from '../../contract/run/server-load';
import { planServerLoad } from '../../contract/run/server-plan';
import { flagOf, readFieldOptions } from '../field-options';
import { readHeaders, readNumber, readShapes } from '../read-values';
import { readAddresses, readModelNames } from './perf-levels';
import type { PerfOptions } from './perf-options';

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
