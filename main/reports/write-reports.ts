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
  /** Created if missing; replaces an earlier report. */
  readonly dir: string;
  readonly signal: AbortSignal;
  readonly printPdf: (htmlPath: string, pdfPath: string, signal: AbortSignal) => Promise<void>;
  /** Called without a PDF printer; if absent, that throws. */
  readonly onNoPrinter?: (error: WireError) => void;
}

/** Prints the PDF last from HTML, so that other formats exist if printing fails. Throws errors of both, cancelled. */
export async function writeReports(input: WriteReportsInput): Promise<readonly ReportFile[]> {
  const { state, context, dir, signal, printPdf, onNoPrinter } = input;
  // Loaded on demand: the charts' library is a large part of the core.
  const { exporters } = await import('./exporters');
  const report = toReport(state, context);
  const files: ReportFile[] = [];
  for (const exporter of exporters) {
    if (signal.aborted) throw new WorkbenchError('cancelled', 'Writing the report was cancelled');
    if (exporter.applies?.(report) === false) continue;
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
    // An earlier PDF would contradict the other files.
    await rm(pdfPath, { force: true });
    onNoPrinter(wire);
    return files;
  }
  return [...files, { kind: 'pdf', path: pdfPath }];
}
