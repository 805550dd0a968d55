import { rename } from 'node:fs/promises';
import { WorkbenchError } from '../contract/errors';
import { linkedAbort } from './abort';
import { openDisplay } from './display';
import { exec } from './exec';
import { exists } from './files';
import { requireTemporaryFolder } from './temporary-folder';

/** A report takes seconds; an Electron that shows a dialog of its own would never end. */
const deadlineMs = 90_000;

/**
 * Prints HTML to PDF by Electron's printToPDF from a process without a window: the app's own
 * `--print-pdf` mode, under a virtual display where there is none. The PDF appears whole or not at all.
 */
export function createElectronPrinter(options: {
  readonly electron: string;
  /** Folder of the app's package.json. */
  readonly app: string;
  readonly env: NodeJS.ProcessEnv;
}): (htmlPath: string, pdfPath: string, signal: AbortSignal) => Promise<void> {
  return async (htmlPath, pdfPath, signal) => {
    if (!(await exists(options.electron))) {
      throw new WorkbenchError(
        'toolchain-missing',
        'The Electron runtime that prints the PDF is not installed',
        {
          where: options.electron,
        },
      );
    }
    // Electron keeps its profile there, and ends in a stack trace where it cannot.
    await requireTemporaryFolder(options.env, 'report-failed');
    const display = await openDisplay(options.env);
    const { controller, dispose } = linkedAbort(signal);
    const timer = setTimeout(() => {
      controller.abort();
    }, deadlineMs);
    try {
      const temporary = `${pdfPath}.tmp.pdf`;
      const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
      const ended = await exec({
        argv: [options.electron, ...sandbox, options.app, '--print-pdf', htmlPath, temporary],
        env: { ...options.env, DISPLAY: display.name },
        signal: controller.signal,
      });
      if (signal.aborted) throw new WorkbenchError('cancelled', 'Printing was cancelled');
      if (ended.aborted) {
        throw new WorkbenchError(
          'report-failed',
          `Electron did not print the PDF within ${deadlineMs / 1000} s`,
          {
            details: ended.stderrTail.join('\n'),
          },
        );
      }
      if (ended.exitCode !== 0 || !(await exists(temporary))) {
        throw new WorkbenchError('report-failed', 'The PDF could not be printed', {
          details: ended.stderrTail.join('\n'),
        });
      }
      await rename(temporary, pdfPath);
    } finally {
      clearTimeout(timer);
      dispose();
      display.close();
    }
  };
}
