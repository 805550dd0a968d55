import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire, type WireError, WorkbenchError } from '../contract/errors';
import type { ReportFile } from '../contract/run/run-events';
import type { RunState } from '../contract/run/run-state';
import { writeFileAtomic } from '../platform/files';
import { formerLogoFiles } from './report-settings';
import { type ReportContext, toReport } from './to-report';

interface WriteReportsInput {
  readonly state: RunState;
  readonly context: ReportContext;
  /** Created when it is not there; files of an earlier report are replaced. */
  readonly dir: string;
  readonly signal: AbortSignal;
  readonly printPdf: (htmlPath: string, pdfPath: string, signal: AbortSignal) => Promise<void>;
  /** Told that there is no printer on this machine, where the report then has no PDF; without it, that throws too. */
  readonly onNoPrinter?: (error: WireError) => void;
}

/**
 * Renders every format, writes each file whole or not at all, and prints the PDF last from the HTML file: what needs no
 * browser is there even when printing fails. Throws what writing or printing throws; cancelled when asked to stop.
 */
export async function writeReports(input: WriteReportsInput): Promise<readonly ReportFile[]> {
  const { state, context, dir, signal, printPdf, onNoPrinter } = input;
  // Read when it is needed: the charts' library is a large part of the core.
  const { exporters } = await import('./exporters');
  const report = toReport(state, context);
  const files: ReportFile[] = [];
  for (const exporter of exporters) {
    if (signal.aborted) throw new WorkbenchError('cancelled', 'Writing the report was cancelled');
    const { fileName, content } = exporter.render({ state, report });
    const path = join(dir, fileName);
    await writeFileAtomic(path, content);
    files.push({ kind: exporter.id, path });
  }
  for (const name of formerLogoFiles) await rm(join(dir, name), { force: true });
  const html = files.find(({ kind }) => kind === 'html');
  if (html === undefined) throw new WorkbenchError('report-failed', 'No HTML report to print');
  const pdfPath = join(dir, 'report.pdf');
  try {
    await printPdf(html.path, pdfPath, signal);
  } catch (error) {
    const wire = toWire(error);
    if (wire.code !== 'toolchain-missing' || onNoPrinter === undefined) throw error;
    // One of an earlier report would say something else than the other files.
    await rm(pdfPath, { force: true });
    onNoPrinter(wire);
    return files;
  }
  return [...files, { kind: 'pdf', path: pdfPath }];
}
