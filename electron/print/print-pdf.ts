import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { BrowserWindow, type Session, session } from 'electron';
import { WorkbenchError } from '../../main/contract/errors';
import { writeFileAtomic } from '../../main/platform/files';
import { withPdfProperties } from '../../main/platform/pdf-properties';
import { marginTemplates, pageMarks } from '../../main/reports/html/page-marks';
import { denyPermissions, safeWebPreferences } from '../security';

const mm = (value: number): number => value / 25.4;

/** The first Chromium that draws the head and foot of the style sheet; others get the same as templates. */
const drawsMargins = 131;

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
 * Prints a report to a tagged PDF of A4 with its title, in a hidden window without scripts.
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
      const marks = pageMarks(await readFile(htmlPath, 'utf8'));
      const { header, footer } = marginTemplates(marks);
      const pdf = await window.webContents.printToPDF({
        pageSize: 'A4',
        landscape: marks.landscape,
        preferCSSPageSize: true,
        printBackground: true,
        generateTaggedPDF: true,
        generateDocumentOutline: true,
        margins: { top: mm(16), bottom: mm(15), left: mm(14), right: mm(14) },
        displayHeaderFooter: Number.parseInt(process.versions.chrome, 10) < drawsMargins,
        headerTemplate: header,
        footerTemplate: footer,
      });
      return withPdfProperties(pdf, marks);
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
