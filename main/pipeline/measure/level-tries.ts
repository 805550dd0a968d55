import { setImmediate } from 'node:timers/promises';
import { toWire, type WireError, WorkbenchError } from '../../contract/errors';
import { stateWords } from '../../contract/flag-text';
import type { LoadPoint, MeasurementWindow } from '../../contract/measured/results';
import { formatMs, formatRate, formatShortShare, missing } from '../../contract/numbers';
import { isElsewhere } from '../../contract/run/engine-kinds';
import type { Scenario } from '../../contract/run/run-events';
import type { LoadLevel } from '../../contract/run/sweep';
import type { ServerHandle } from '../../engine/engine';
import { toHoldError } from '../device-turn';
import { HoldError } from '../hold';
import { serveAnew, stopServer } from '../serve-model';
import type { RunContext, StepContext } from '../step';

/** Retries of a level with a new Triton. */
const mostRestarts = 2;

const goneCodes = new Set<WireError['code']>(['server-gone', 'server-unreachable']);

/** Whether Triton ended or no longer responds. */
async function isGone(server: ServerHandle | null, code: WireError['code']): Promise<boolean> {
  if (goneCodes.has(code)) return true;
  // The load generator's container may also run out of memory.
  if (code !== 'out-of-memory' || server === null) return false;
  return Promise.race([server.exited.then(() => true), setImmediate(false)]);
}

/** The level's Triton ended. */
export class ServerLost extends WorkbenchError {}

/**
 * Measures a level; if Triton ends or hangs, retries with a new one, at most twice. `measure` gets the number of
 * earlier tries, whose results are discarded. Servers of others are not restarted. Throws {@link ServerLost} with
 * Triton's last lines, or errors of `measure`.
 */
export async function withFreshServers(
  context: StepContext,
  name: string,
  measure: (restarts: number) => Promise<void>,
): Promise<void> {
  const { run, spec, signal } = context;
  const isOurs = !isElsewhere(spec.engine);
  for (let restarts = 0; ; restarts += 1) {
    try {
      if (run.server === null && isOurs) await serveAnew(context);
      if (restarts > 0) context.log([`${name}: try ${restarts + 1}, with a restarted Triton`]);
      await measure(restarts);
      return;
    } catch (error) {
      const wire = toWire(error);
      if (signal.aborted || !(await isGone(run.server, wire.code))) throw error;
      // An unavailable engine may bring Triton back, and a full disk would fail the next try too.
      const end = await toHoldError(run, error);
      if (end instanceof HoldError) throw end;
      // A failed stop is reported by the next start.
      if (isOurs) await stopServer(run).catch(() => undefined);
      const { where, remedy, details } = wire;
      if (!isOurs || restarts === mostRestarts) {
        const tries =
          restarts === 0 ? '' : `, the last of ${restarts + 1} tries, each with a restarted Triton`;
        throw new ServerLost(wire.code, `${wire.message}${tries}`, { where, remedy, details, cause: error });
      }
      context.log([`ERROR: ${name}: ${wire.message}`, ...(details ?? '').split('\n')]);
      context.warning(`${name}: ${wire.message}. It is tried again with a restarted Triton.`);
    }
  }
}

const ms = (us: number | null): string => (us === null ? missing : `${formatMs(us)} ms`);

/** A level's result as a log line. */
export function levelLine(name: string, point: LoadPoint): string {
  const count = point.windows.length;
  return [
    `${name}: ${formatRate(point.inferencesPerSecond)} inferences/s`,
    `p50 ${ms(point.p50Us)}`,
    `p99 ${ms(point.p99Us)}`,
    stateWords(point),
    ...(point.paddingShare === undefined ? [] : [`${formatShortShare(point.paddingShare)} padding`]),
    ...(count === 0 ? [] : [`${count} ${count === 1 ? 'window' : 'windows'}`]),
  ].join(', ');
}

export function emitWindow(
  { runId, emit }: Pick<RunContext, 'runId' | 'emit'>,
  scenario: Scenario,
  level: LoadLevel,
  { inferencesPerSecond, p99Us, scheduledP99Us }: MeasurementWindow,
  index: number,
): void {
  emit({ type: 'window', runId, scenario, ...level, index, inferencesPerSecond, p99Us, scheduledP99Us });
}
