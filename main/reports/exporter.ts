import type { ReportFile } from '../contract/run/run-events';
import type { RunState } from '../contract/run/run-state';
import type { Report } from './report';

export interface ExportInput {
  readonly state: RunState;
  /** `toReport` of the same state. */
  readonly report: Report;
}

interface ExportedFile {
  /** A constant of the exporter: no part of it comes from the run. */
  readonly fileName: string;
  readonly content: string;
}

/** One report format. Pure; writing (atomically) is the caller's. */
export interface Exporter {
  readonly id: Exclude<ReportFile['kind'], 'pdf'>;
  readonly render: (input: ExportInput) => ExportedFile;
}
