import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import type { TracePutBack } from '../contract/measured/trace-setting';
import { jsonOrNull, listOf } from '../platform/parse-json';
import { errorTextOf, requestTriton } from './http';
import type { TlsMaterial } from './tls';

const settingSchema = z.object({
  trace_level: listOf(z.string()),
  trace_rate: z.string(),
  trace_count: z.string(),
  // Only in the mode "triton", which earlier releases do not name.
  log_frequency: z.string().default('0'),
  trace_file: z.string().default(''),
  trace_mode: z.string().default('triton'),
});
type TraceSetting = z.infer<typeof settingSchema>;

/** A Triton whose trace settings are read or changed. */
export interface TracedServer {
  /** `host:port`. */
  readonly address: string;
  readonly tls?: TlsMaterial | null | undefined;
}

const timeoutMs = 10_000;
const off = 'OFF';

interface Ask {
  /** null: of the server. */
  readonly model: string | null;
  readonly change?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal | undefined;
}

async function ask({ address, tls }: TracedServer, { model, change, signal }: Ask): Promise<TraceSetting> {
  const path = `/v2${model === null ? '' : `/models/${encodeURIComponent(model)}`}/trace/setting`;
  const response = await requestTriton(address, {
    ...{ path, tls, signal, timeoutMs },
    ...(change === undefined
      ? { method: 'GET' as const }
      : {
          method: 'POST' as const,
          body: Buffer.from(JSON.stringify(change)),
          headers: { 'Content-Type': 'application/json' },
        }),
  });
  const found = settingSchema.safeParse(jsonOrNull(response.body.toString('utf8')));
  if (response.status === 200 && found.success) return found.data;
  throw new WorkbenchError('combination-unsupported', `Triton at ${address} does not accept trace settings`, {
    details: errorTextOf(response),
    remedy: 'Tracing may be restricted there, or missing in this build of Triton.',
  });
}

/** Throws combination-unsupported, server-unreachable. @param model null: of the server */
export const readTraceSetting = (
  server: TracedServer,
  model: string | null,
  signal?: AbortSignal,
): Promise<TraceSetting> => ask(server, { model, signal });

/**
 * What the settings of a model are put back to. The API has no sign of what a model has of its own: a value like the
 * server's follows it, as it does without settings of its own.
 */
export function putBackOf(ofModel: TraceSetting, ofServer: TraceSetting): TracePutBack {
  const isSame = ofModel.trace_level.join() === ofServer.trace_level.join();
  const own = (name: 'trace_rate' | 'trace_count' | 'log_frequency'): string | null =>
    ofModel[name] === ofServer[name] ? null : ofModel[name];
  return {
    trace_level: isSame ? null : ofModel.trace_level,
    trace_rate: own('trace_rate'),
    trace_count: own('trace_count'),
    log_frequency: own('log_frequency'),
  };
}

/** Throws combination-unsupported where tracing is on already, or goes elsewhere. */
export function requireTraceable(
  { address }: Pick<TracedServer, 'address'>,
  model: string,
  { trace_mode: mode, trace_file: file, trace_level: levels }: TraceSetting,
): void {
  const refused = (message: string, remedy: string): WorkbenchError =>
    new WorkbenchError('combination-unsupported', message, { where: address, remedy });
  if (mode.toLowerCase() !== 'triton') {
    throw refused(`Triton exports its traces (mode ${mode})`, 'Open what it exported: trace FILE.');
  }
  if (file === '') {
    throw refused(
      'Triton was started without a trace file',
      'Restart it, for example with "deployments restart".',
    );
  }
  if (levels.some((level) => level !== off)) {
    throw refused(
      `Tracing of ${model} is already on (${levels.join(', ')})`,
      'It is left on. Open its trace file: trace FILE.',
    );
  }
}

/** Traces the next requests to the model, and writes them into one file of their own. Throws as {@link readTraceSetting}. */
export const traceNext = (
  server: TracedServer,
  model: string,
  requests: number,
  signal?: AbortSignal,
): Promise<TraceSetting> =>
  ask(server, {
    ...{ model, signal },
    change: {
      trace_level: ['TIMESTAMPS'],
      trace_rate: '1',
      trace_count: String(requests),
      // Where fewer arrive, they too are written into a file of their own, once the setting is replaced.
      log_frequency: String(requests),
    },
  });

/** Throws as {@link readTraceSetting}. */
export const putTraceSettingBack = (
  server: TracedServer,
  model: string,
  putBack: TracePutBack,
): Promise<TraceSetting> => ask(server, { model, change: putBack });
