import { setFlagsFromString } from 'node:v8';

/**
 * How far a heap grows beyond what is in use, percent, before it is collected. V8's own is up to 300 where a machine has much
 * memory: who watches a server would hold three times what is needed of samples that are gone.
 */
export const heapGrowthFlag = '--heap-growing-percent=50';

/** Of this process, from now on. */
export function boundHeapGrowth(): void {
  setFlagsFromString(heapGrowthFlag);
}
