import type { BaselineSeries } from '../contract/measured/baseline';
import type { LoadPoint } from '../contract/measured/results';
import type { ReportSection } from '../contract/run/report-settings';
import type { ReportFile, Scenario, StepId } from '../contract/run/run-events';
import type { Badge, Tone, Verification } from '../contract/run/run-outcome';
import type { RunState } from '../contract/run/run-state';
import type { Sweep } from '../contract/run/sweep';
import type { ChosenLevel } from '../domain/measured/answer';
import type { CrossLevel } from '../domain/measured/cross-check';
import type { KeyFigure } from '../domain/measured/key-figures';
import type { Logo } from './report-settings';

/**
 * What every exporter shows, ready to read: texts are sorted and worded here and nowhere else.
 * Plain data, so that it can also be sent to the window. A missing value reads "–".
 */
export interface Report {
  readonly runId: string;
  /** "ResNet50 · ONNX fp16", after the name of a run that has one; or what was written for it. */
  readonly title: string;
  readonly subtitle: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  /** "Run of 2025-11-21 08:17 UTC, report of …". */
  readonly times: string;
  readonly workbenchVersion: string;
  readonly status: Badge;
  readonly logo: Logo | null;
  /** What somebody wrote for the reader; empty: nothing. */
  readonly remarks: string;
  readonly without: readonly ReportSection[];
  readonly verification: Verification;
  /** One sentence: what was reached, and how true to the framework it is. */
  readonly verdict: string;
  /** The verdict names nothing that is in doubt. */
  readonly isSure: boolean;
  readonly figures: readonly KeyFigure[];
  readonly summary: ReportSummary;
  readonly problems: readonly ReportProblem[];
  readonly parameters: readonly ParameterGroup[];
  /** How the specification was changed after the run was created: when, and what. */
  readonly changes: readonly NamedText[];
  readonly environment: readonly NamedText[];
  readonly packages: readonly NamedText[];
  readonly steps: readonly ReportStep[];
  readonly commands: readonly ReportCommand[];
  /** null when the run did not come so far. */
  readonly accuracy: ReportAccuracy | null;
  readonly scenarios: readonly ReportScenario[];
  /** null where there is nothing to hold the run against. */
  readonly published: ReportPublished | null;
  readonly notes: readonly NamedText[];
}

/** The first page, with verdict and figures; every text is cut so that it stays one page. */
export interface ReportSummary {
  readonly badges: readonly Badge[];
  /** The one of `badges` that every scenario without a verified accuracy has too. */
  readonly accuracyBadge: Badge;
  /** Of the best level; null when nothing was measured. */
  readonly scenario: Scenario | null;
  /** What the check against the framework came to, in sentences. */
  readonly accuracy: string;
  /** What is doubtful about the answer, one plain sentence each; the gravest first. */
  readonly doubts: readonly string[];
  readonly model: readonly NamedText[];
  readonly machine: readonly NamedText[];
}

export interface NamedText {
  readonly name: string;
  readonly value: string;
}

export interface ReportProblem {
  readonly tone: 'warning' | 'bad';
  readonly title: string;
  readonly text: string;
  readonly remedy: string | null;
  readonly details: string | null;
}

export interface ParameterGroup {
  readonly title: string;
  readonly rows: readonly Parameter[];
}

export interface Parameter {
  readonly name: string;
  readonly value: string;
  /** Path in the run specification. */
  readonly field: string;
  /** The variables of the published procedures that set the same thing; may be none. */
  readonly upstream: readonly string[];
  /** Left as the preset has it, and not one of those that say what was measured. */
  readonly folded: boolean;
}

export interface ReportStep {
  readonly id: StepId;
  readonly title: string;
  readonly status: string;
  readonly tone: Tone;
  readonly duration: string;
  readonly facts: readonly NamedText[];
  readonly warnings: readonly string[];
}

export interface ReportCommand {
  readonly step: string;
  readonly note: string | null;
  readonly argv: readonly string[];
  /** `argv` quoted for a POSIX shell. */
  readonly line: string;
}

export interface ReportAccuracy {
  readonly passed: boolean;
  readonly sampleCount: string;
  /** "batch sizes 1, 2 and 4, and gathered by the dynamic batcher"; null where the run does not say. */
  readonly comparedAt: string | null;
  /** By requests of each batch size; none where the run does not say. */
  readonly batches: readonly {
    readonly requests: string;
    readonly count: string;
    readonly maxAbsDiff: string;
    readonly passed: boolean;
  }[];
  /** Where the framework computed; null where the run does not say. */
  readonly referenceDevice: string | null;
  readonly outputs: readonly {
    readonly output: string;
    readonly maxAbsDiff: string;
    readonly maxRelDiff: string;
    readonly tolerance: string;
    /** Share of the tolerance that the worst value uses; null: the run does not say. */
    readonly allowanceUsed: string | null;
    readonly nanCount: string;
    readonly infCount: string;
    readonly worstSample: string;
    readonly sampleCount: string;
    /** Samples of another length on Triton; null where lengths are not compared. */
    readonly otherLengths: string | null;
    readonly passed: boolean;
    readonly vacuous: boolean;
  }[];
  readonly metrics: readonly {
    readonly name: string;
    readonly framework: string;
    readonly triton: string;
    readonly delta: string;
    readonly threshold: string;
    readonly passed: boolean;
  }[];
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

export interface ReportScenario {
  readonly id: Scenario;
  readonly title: string;
  readonly description: string;
  /** What the sweep varies. */
  readonly sweep: Sweep;
  /** The seeds' columns in the seeds' order; `rows[].cells` has one text a column. */
  readonly columns: readonly string[];
  /** By load: batch size, then concurrency or request rate. */
  readonly rows: readonly ReportLevel[];
  /** Where the two load tools differ; null unless the run cross-checks. */
  readonly crossCheck: readonly CrossLevel[] | null;
  /** p99 budget of the run; null without one. */
  readonly budgetMs: number | null;
  /** The level of this scenario that the run's answer is; null where it is of the other, or none. */
  readonly chosen: ChosenLevel | null;
  /** Published figures, drawn beside the measured ones and never among them. */
  readonly baseline: BaselineSeries | null;
}

export interface ReportPublished {
  /** Name, address and date of the document. */
  readonly source: string;
  readonly note: string | null;
  /** "published, A30, ONNX fp16"; null where nothing is published of the run's format and precision. */
  readonly label: string | null;
  /** What the figures are and are not. */
  readonly lead: string;
  /** How the load of this run differs from the published procedure: "Protocol, online: gRPC; published: HTTP". */
  readonly differences: readonly string[];
  readonly scenarios: readonly {
    readonly id: Scenario;
    readonly title: string;
    readonly rows: readonly ReportPublishedRow[];
  }[];
}

export interface ReportPublishedRow {
  readonly batchSize: string;
  readonly concurrency: string;
  readonly published: string;
  readonly publishedP99: string;
  readonly measured: string;
  readonly measuredP99: string;
  /** Measured throughput in per cent of the published one. */
  readonly ratio: string;
}

export interface ReportLevel {
  readonly batchSize: number;
  readonly concurrency: number;
  /** Requests a second that were asked for. */
  readonly requestRate?: number | undefined;
  /** The swept value: batch size, concurrency or requests a second. */
  readonly load: number;
  /** The same as text: with its concurrency or rate. */
  readonly loadText: string;
  readonly cells: readonly string[];
  /** The measured values in full, for charts, files and the tables of details; null for a level without a result. */
  readonly point: LoadPoint | null;
  /** Measured again, it comes out alike; see `isSteady`. */
  readonly steady: boolean;
  /** What is in doubt about it, or why there is no result; in words. */
  readonly reasons: readonly string[];
  /** Short words for a file: the flags, or "missing: <error code>". */
  readonly marks: readonly string[];
  /** The answer of the run at its level, else what keeps this one from being it; empty: only that another one is faster. */
  readonly answer: string;
}

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
