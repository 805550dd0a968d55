import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../contract/errors';
import { isUncertain } from './docker-error';

const firstDelayMs = 250;
const longestDelayMs = 5000;

/** 250 ms, doubled up to 5 s, each between half and the whole of that. */
export function backOffMs(attempt: number, random: () => number = Math.random): number {
  const whole = Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
  return whole / 2 + (whole / 2) * random();
}

export interface PersistOptions {
  readonly signal: AbortSignal;
  /** Milliseconds after which an engine that does not answer is given up; for ever when absent. */
  readonly patienceMs?: number | undefined;
  readonly onTrouble?: ((text: string) => void) | undefined;
}

/**
 * Repeats `work` while the engine gives no answer. `work` must find out for itself what an earlier try did.
 * Throws cancelled, an answer that is a refusal, or the last trouble when the patience is over.
 */
export async function persist<Value>(options: PersistOptions, work: () => Promise<Value>): Promise<Value> {
  const started = performance.now();
  const stopped = () => options.signal.aborted;
  for (let attempt = 0; ; attempt += 1) {
    if (stopped()) throw new WorkbenchError('cancelled', 'Cancelled');
    try {
      return await work();
    } catch (error) {
      const over = options.patienceMs !== undefined && performance.now() - started > options.patienceMs;
      if (stopped() || over || !isUncertain(error)) throw error;
      options.onTrouble?.(error instanceof Error ? error.message : String(error));
    }
    await sleep(backOffMs(attempt), undefined, { signal: options.signal }).catch(() => undefined);
  }
}
