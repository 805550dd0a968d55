import { setImmediate } from 'node:timers/promises';
import { toWire, type WireError, WorkbenchError } from '../../contract/errors';
import { stateWords } from '../../contract/flag-text';
import type { LoadPoint } from '../../contract/measured/results';
import { formatMs, formatRate, missing } from '../../contract/numbers';
import { isElsewhere } from '../../contract/run/engine-kinds';
import type { ServerHandle } from '../../engine/engine';
import { toHoldError } from '../device-turn';
import { HoldError } from '../hold';
import { serveAnew, stopServer } from '../serve-model';
import type { StepContext } from '../step';

/** Further tries of a level whose Triton ended, each with a fresh one. */
const mostRestarts = 2;

const goneCodes = new Set<WireError['code']>(['server-gone', 'server-unreachable']);

/** Whether it was Triton that failed: it ended, or it no longer answers. */
async function isGone(server: ServerHandle | null, code: WireError['code']): Promise<boolean> {
  if (goneCodes.has(code)) return true;
  // Memory may run out in the load generator's container just as well, and its Triton serves on.
  if (code !== 'out-of-memory' || server === null) return false;
  return Promise.race([server.exited.then(() => true), setImmediate(false)]);
}

/** How a level ended that Triton did not live through. */
export class ServerLost extends WorkbenchError {}

/**
 * Measures a level, and where Triton ends or hangs again with a fresh one, at most twice; `measure` hears how many came
 * before. Nothing of a try that Triton did not live through is used. A server of others is not started again.
 * Throws {@link ServerLost} with the last lines of the last Triton, or what `measure` throws.
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
      // An engine that is away may bring its Triton back, and a disk without room ends the next one too.
      const end = await toHoldError(run, error);
      if (end instanceof HoldError) throw end;
      // What cannot be stopped is said where the next one is started.
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

/** What one level gave, as a line of the step's log. Pure. */
export function levelLine(name: string, point: LoadPoint): string {
  const count = point.windows.length;
  return [
    `${name}: ${formatRate(point.inferencesPerSecond)} inferences/s`,
    `p50 ${ms(point.p50Us)}`,
    `p99 ${ms(point.p99Us)}`,
    stateWords(point),
    ...(count === 0 ? [] : [`${count} ${count === 1 ? 'window' : 'windows'}`]),
  ].join(', ');
}
