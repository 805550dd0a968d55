import type { App } from 'electron';
import { setFlagsFromString } from 'node:v8';

/**
 * How far a heap grows beyond what is in use, percent, before it is collected. V8's own is up to 300 where a machine has much
 * memory: a page that watches a server would hold three times what it needs of samples that are gone.
 */
const flag = '--heap-growing-percent=50';

/** For this process and its pages; to be called before the first page. Who gives V8 other flags has these. */
export function boundHeapGrowth(app: App): void {
  if (app.commandLine.hasSwitch('js-flags')) return;
  setFlagsFromString(flag);
  app.commandLine.appendSwitch('js-flags', flag);
}
