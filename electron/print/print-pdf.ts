import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { BrowserWindow, type Session, session } from 'electron';
import { WorkbenchError } from '../../main/contract/errors';
import { writeFileAtomic } from '../../main/platform/files';
import { denyPermissions, safeWebPreferences } from '../security';

const mm = (value: number): number => value / 25.4;

const footer =
  '<div style="width:100%;font:8px sans-serif;color:#52606d;text-align:center">' +
  '<span class="pageNumber"></span> / <span class="totalPages"></span></div>';

/** In memory; loads nothing but the given file and images inside it. */
function closedSession(url: string): Session {
  const own = session.fromPartition(`print-${randomBytes(8).toString('hex')}`);
  denyPermissions(own);
  own.webRequest.onBeforeRequest((details, answer) =>
    answer({ cancel: details.url !== url && !details.url.startsWith('data:') }),
  );
  return own;
}

/**
 * Prints an HTML file to an A4 PDF with page numbers, in a hidden window without scripts.
 * The PDF appears whole or not at all. Throws report-failed, or cancelled when the signal fires.
 */
export async function printPdf(htmlPath: string, pdfPath: string, signal: AbortSignal): Promise<void> {
  const url = pathToFileURL(htmlPath).href;
  const window = new BrowserWindow({
    show: false,
    webPreferences: { ...safeWebPreferences, javascript: false, session: closedSession(url) },
  });
  const aborted = new Promise<never>((_resolve, reject) => {
    const stop = () => {
      reject(new WorkbenchError('cancelled', 'Printing was cancelled'));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  const printed = async (): Promise<Buffer> => {
    try {
      await window.loadURL(url);
      return await window.webContents.printToPDF({
        pageSize: 'A4',
        printBackground: true,
        margins: { top: mm(14), bottom: mm(16), left: mm(14), right: mm(14) },
        displayHeaderFooter: true,
        headerTemplate: '<span></span>',
        footerTemplate: footer,
      });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new WorkbenchError('report-failed', `The report could not be printed: ${why}`, {
        where: htmlPath,
        cause,
      });
    }
  };
  try {
    await writeFileAtomic(pdfPath, await Promise.race([printed(), aborted]));
  } finally {
    if (!window.isDestroyed()) window.destroy();
  }
}
