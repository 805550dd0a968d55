import { rename } from 'node:fs/promises';
import { constants } from 'node:os';
import { WorkbenchError } from '../contract/errors';
import { linkedAbort } from './abort';
import { exec, startChild } from './exec';
import { exists, requireTemporaryFolder } from './files';

export interface Display {
  readonly name: string;
  readonly close: () => void;
}

/** The session's display, or a virtual one (Xvfb picks a free number). Throws toolchain-missing without Xvfb. */
export async function openDisplay(env: NodeJS.ProcessEnv): Promise<Display> {
  const present = env['DISPLAY'];
  if (present !== undefined && present !== '') return { name: present, close: () => undefined };
  const server = startChild('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise<string>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new WorkbenchError('toolchain-missing', 'There is no display, and Xvfb is not installed', {
          remedy: 'Install it: apt-get install xvfb',
          cause,
        }),
      ),
    );
    server.once('exit', (code) =>
      reject(new WorkbenchError('report-failed', `Xvfb ended with exit code ${code ?? '?'}`)),
    );
    let text = '';
    server.stdio[3]?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('\n')) resolve(text.trim());
    });
  });
  return {
    name: `:${number}`,
    close: () => {
      server.kill('SIGTERM');
    },
  };
}

/** Reports take seconds; an Electron error dialog would block forever. */
const deadlineMs = 90_000;

/** Prints with Electron's printToPDF in the app's `--print-pdf` mode, with Xvfb if needed. Atomic. */
export function createElectronPrinter(options: {
  readonly electron: string;
  /** Folder of the app's package.json; null in a package, whose runtime contains the app. */
  readonly app: string | null;
  readonly env: NodeJS.ProcessEnv;
}): (htmlPath: string, pdfPath: string, signal: AbortSignal) => Promise<void> {
  return async (htmlPath, pdfPath, signal) => {
    if (!(await exists(options.electron))) {
      throw new WorkbenchError(
        'toolchain-missing',
        'The Electron runtime that prints the PDF is not installed',
        {
          where: options.electron,
          remedy: 'The other formats need no Electron. In a clone, "npm start" installs the runtime.',
        },
      );
    }
    // Electron's profile is there; without it Electron crashes.
    await requireTemporaryFolder(options.env, 'report-failed');
    const display = await openDisplay(options.env);
    const { controller, dispose } = linkedAbort(signal);
    const timer = setTimeout(() => controller.abort(), deadlineMs);
    try {
      const temporary = `${pdfPath}.tmp.pdf`;
      const app = options.app === null ? [] : [options.app];
      const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
      const ended = await exec({
        argv: [options.electron, ...sandbox, ...app, '--print-pdf', htmlPath, temporary],
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
      if (ended.exitCode === constants.errno.ENOSPC) {
        throw new WorkbenchError('disk-full', `No space left while writing ${pdfPath}`, { where: pdfPath });
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
