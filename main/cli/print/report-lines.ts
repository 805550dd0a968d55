import { basename, dirname } from 'node:path';
import type { WireError } from '../../contract/errors';
import type { ReportFile } from '../../contract/run/run-events';

/** The report to read first with its full path, and the names of the files beside it. */
export function reportLines(reports: readonly ReportFile[]): readonly string[] {
  const first =
    reports.find(({ kind }) => kind === 'pdf') ?? reports.find(({ kind }) => kind === 'html') ?? reports[0];
  if (first === undefined) return [];
  const beside = reports
    .filter((file) => file !== first)
    .map(({ path }) => (dirname(path) === dirname(first.path) ? basename(path) : path));
  return [`Report: ${first.path}`, ...(beside.length === 0 ? [] : [`  also there: ${beside.join(', ')}`])];
}

/** What is missing beside the files that were written, which are no failure. */
export function noPdfLine({ message, remedy }: WireError): string {
  const line = `  No PDF: ${message.replace(/\.$/, '')}.`;
  return remedy === undefined ? line : `${line} ${remedy}`;
}
