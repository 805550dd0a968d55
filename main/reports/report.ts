import type { BaselineSeries } from '../contract/measured/baseline';
import type { Column } from '../contract/measured/column';
import type { LoadPoint } from '../contract/measured/results';
import type { ReportFile, Scenario, StepId } from '../contract/run/run-events';
import type { Badge, Tone, Verification } from '../contract/run/run-outcome';
import type { RunState } from '../contract/run/run-state';
import type { Sweep } from '../contract/run/sweep';
import type { ReportSection } from '../contract/settings/report-settings';
import type { ChosenLevel } from '../domain/measured/answer';
import type { ColdRow } from '../domain/measured/cold/cold-start';
import type { TrialRow } from '../domain/measured/cold/warm-up-trial';
import type { CrossLevel } from '../domain/measured/cross-check';
import type { KeyFigure } from '../domain/measured/key-figures';
import type { LimitsText } from '../domain/measured/limits/limits';
import type { SlowLevel } from '../domain/measured/slow/slow-text';
import type { Logo } from './report-settings';

/** Content of all exporters as formatted plain data. Missing values are "–". */
export interface Report {
  readonly runId: string;
  /** "ResNet50 · ONNX fp16", after the run's name if any; or the user's title. */
  readonly title: string;
  readonly subtitle: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  /** "Run of 2025-11-21 08:17 UTC, report of …". */
  readonly times: string;
  readonly workbenchVersion: string;
  readonly status: Badge;
  readonly logo: Logo | null;
  /** May be empty, as the author. */
  readonly customer: string;
  readonly author: string;
  /** The user's remarks; may be empty. */
  readonly remarks: string;
  readonly without: readonly ReportSection[];
  readonly verification: Verification;
  /** One sentence: performance and accuracy. */
  readonly verdict: string;
  /** The verdict is free of doubts. */
  readonly isSure: boolean;
  readonly figures: readonly KeyFigure[];
  readonly summary: ReportSummary;
  /** What limits the level of the answer; null where nothing was found. */
  readonly limits: LimitsText | null;
  /** Traced requests by level; empty without any. */
  readonly slow: readonly SlowLevel[];
  readonly problems: readonly ReportProblem[];
  readonly parameters: readonly ParameterGroup[];
  /** Changes of the specification after creation. */
  readonly changes: readonly NamedText[];
  readonly environment: readonly NamedText[];
  readonly packages: readonly NamedText[];
  /** Origin, license and hashes of a Hugging Face folder; empty for other models. */
  readonly record: readonly NamedText[];
  readonly steps: readonly ReportStep[];
  readonly commands: readonly ReportCommand[];
  /** null if not reached. */
  readonly accuracy: ReportAccuracy | null;
  readonly scenarios: readonly ReportScenario[];
  /** null where it was not recorded. */
  readonly coldStart: ReportColdStart | null;
  /** null without published figures. */
  readonly published: ReportPublished | null;
  readonly notes: readonly NamedText[];
}

/** The first page; texts are shortened to fit. */
export interface ReportSummary {
  readonly badges: readonly Badge[];
  /** The badge that scenarios without verified accuracy share. */
  readonly accuracyBadge: Badge;
  /** The best level's; null without measurements. */
  readonly scenario: Scenario | null;
  /** Accuracy result in sentences. */
  readonly accuracy: string;
  /** One sentence per doubt, the worst first. */
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
  /** Path in the specification. */
  readonly field: string;
  /** Equivalent variables of the published procedures. */
  readonly upstream: readonly string[];
  /** Preset default that does not identify the measurement. */
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
  /** "batch sizes 1, 2 and 4, and gathered by the dynamic batcher"; null if unknown. */
  readonly comparedAt: string | null;
  /** Per batch size; empty if unknown. */
  readonly batches: readonly {
    readonly requests: string;
    readonly count: string;
    readonly maxAbsDiff: string;
    readonly passed: boolean;
  }[];
  /** What was compared with what, as a sentence. */
  readonly lead: string;
  /** Device of the framework; null if unknown. */
  readonly referenceDevice: string | null;
  readonly outputs: readonly {
    readonly output: string;
    readonly maxAbsDiff: string;
    readonly maxRelDiff: string;
    readonly tolerance: string;
    /** Used share of the tolerance; null if unknown. */
    readonly allowanceUsed: string | null;
    readonly nanCount: string;
    readonly infCount: string;
    readonly worstSample: string;
    readonly sampleCount: string;
    /** Samples with another length on Triton; null if not compared. */
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
  readonly sweep: Sweep;
  /** Headings; `rows[].cells` has one text per column. */
  readonly columns: readonly string[];
  /** By batch size, then concurrency or rate. */
  readonly rows: readonly ReportLevel[];
  /** null without a cross-check. */
  readonly crossCheck: readonly CrossLevel[] | null;
  /** p99 budget; null without one. */
  readonly budgetMs: number | null;
  /** null if the answer is in the other scenario. */
  readonly chosen: ChosenLevel | null;
  /** Published figures, drawn beside measured ones. */
  readonly baseline: BaselineSeries | null;
}

/** What a start takes, and the first requests after it. */
export interface ReportColdStart {
  readonly lines: readonly string[];
  readonly rows: readonly ColdRow[];
  readonly columns: readonly Column<ColdRow>[];
  /** null: no warm-up was tried. */
  readonly trial: { readonly lines: readonly string[]; readonly rows: readonly TrialRow[] } | null;
}

export interface ReportPublished {
  /** Document name, address and date. */
  readonly source: string;
  readonly note: string | null;
  /** "published, A30, ONNX fp16"; null if nothing is published for the format and precision. */
  readonly label: string | null;
  readonly lead: string;
  /** Differences from the published procedure: "Protocol, online: gRPC; published: HTTP". */
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
  /** Measured throughput in percent of the published one. */
  readonly ratio: string;
}

export interface ReportLevel {
  readonly batchSize: number;
  readonly concurrency: number;
  /** Requested rate per second. */
  readonly requestRate?: number | undefined;
  /** Batch size, concurrency or rate. */
  readonly load: number;
  /** With its concurrency or rate. */
  readonly loadText: string;
  readonly cells: readonly string[];
  /** Unformatted values; null without a result. */
  readonly point: LoadPoint | null;
  /** See `isSteady`. */
  readonly steady: boolean;
  /** Doubts, or why there is no result. */
  readonly reasons: readonly string[];
  /** Flags, or "missing: <error code>". */
  readonly marks: readonly string[];
  /** The run's answer, or why this level is not it; '' if another is faster. */
  readonly answer: string;
}

export interface ExportInput {
  readonly state: RunState;
  /** `toReport` of the same state. */
  readonly report: Report;
}

interface ExportedFile {
  /** Independent of the run. */
  readonly fileName: string;
  readonly content: string;
}

/** A report format without side effects; the caller writes atomically. */
export interface Exporter {
  readonly id: Exclude<ReportFile['kind'], 'pdf'>;
  /** Whether the run has something for this file; absent: always. */
  readonly applies?: (report: Report) => boolean;
  readonly render: (input: ExportInput) => ExportedFile;
}
