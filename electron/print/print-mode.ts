import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'electron';
import { WorkbenchError } from '../../main/contract/errors';
import { leave } from '../leave';
import type { PrintJob } from './print-job';
import { printPdf } from './print-pdf';

/** Made before anything waits: the profile must be set before the app is ready. null where there is no room for one. */
function makeProfile(): string | null {
  try {
    return mkdtempSync(join(tmpdir(), 'triton-workbench-print-'));
  } catch {
    return null;
  }
}

/** The app as a printer for the command line: no window is shown, no profile is kept; exits 0, 1, or with the number of ENOSPC. */
export async function runPrintMode(app: App, job: PrintJob): Promise<void> {
  // A profile folder has one owner, and the window may be open at the same time.
  const profile = makeProfile();
  if (profile === null) {
    process.stderr.write(
      `The folder for temporary files, ${tmpdir()}, does not exist or is not writable. Set TMPDIR to one that is.\n`,
    );
    app.exit(1);
    return;
  }
  app.setPath('userData', profile);
  app.disableHardwareAcceleration();
  // The process ends with the job, not with its window.
  app.on('window-all-closed', () => undefined);
  let code = 0;
  try {
    await app.whenReady();
    await printPdf(job.htmlPath, job.pdfPath, new AbortController().signal);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    code = error instanceof WorkbenchError && error.code === 'disk-full' ? constants.errno.ENOSPC : 1;
  }
  app.once('quit', () => rmSync(profile, { recursive: true, force: true }));
  await leave(app, code);
}
