import { setFlagsFromString } from 'node:v8';

/** Percent of heap growth before garbage collection; V8's 300 on large machines would triple the monitor's memory. */
export const heapGrowthFlag = '--heap-growing-percent=50';

export function boundHeapGrowth(): void {
  setFlagsFromString(heapGrowthFlag);
}
