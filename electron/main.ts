import { app } from 'electron';
import { boundHeapGrowth, heapGrowthFlag } from '../main/platform/heap-growth';
import { readPrintJob } from './print/print-job';
import { runPrintMode } from './print/print-mode';
import { registerAppScheme } from './scheme';
import { denyNavigation } from './security';
import { showStartProblem } from './start-problem';
import { runWindowMode } from './window-mode';

// Electron's main process: the boot list. The core in main/ is plain Node and knows nothing of this.
// Chromium refuses to sandbox for root; who runs as root says --no-sandbox, as tests and containers do.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
registerAppScheme();
boundHeapGrowth();
// For the pages; flags given on the command line win.
if (!app.commandLine.hasSwitch('js-flags')) app.commandLine.appendSwitch('js-flags', heapGrowthFlag);
denyNavigation(app);

const job = readPrintJob(process.argv);
if (job === 'incomplete') {
  process.stderr.write('Usage: --print-pdf IN.html OUT.pdf\n');
  app.exit(2);
} else {
  const done = job === null ? runWindowMode(app) : runPrintMode(app, job);
  done
    .catch(async (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      try {
        if (job === null) await showStartProblem(app, error);
      } finally {
        app.exit(1);
      }
    })
    .catch(() => undefined);
}
