import { z } from 'zod';
import { jobEnds, runJobSchema, shortJobText } from '../job/run-job';
import { later } from '../later';
import { traceEventSchema } from '../load/run-traces';
import { coldStartSchema, warmUpTrialSchema } from '../measured/cold-start';
import { modelMemorySchema } from '../measured/model-memory';
import { accuracyResultSchema, environmentSchema, loadPointSchema } from '../measured/results';
import { formatCount } from '../numbers';
import { modelRecordSchema } from '../own/model-record';
import { wireErrorSchema } from '../wire-error';
import { fileEntrySchema } from './artefacts';
import { inContainers } from './engine-kinds';
import { importSourceSchema } from './imported';
import { loadTools, repositoryOf, type RunSpec, runSpecSchema } from './run-spec';
import { serverLoadSchema } from './server-load';

/** The run waits for its turn on the device, disk space, the Docker Engine, or its job, and continues by itself. */
const waitReasons = ['device', 'disk', 'engine', 'job'] as const;
type WaitReason = (typeof waitReasons)[number];

export const runWaitSchema = z.object({
  reason: z.enum(waitReasons),
  /**
   * `device`: id of the run, or words for other work, that measures there now. `disk`: "space on /data: at least 1.2 GiB
   * must be free, 30.0 MiB are". `engine`: "the Docker Engine at unix:///var/run/docker.sock". `job`: "Slurm job 12, queued
   * on gpu (Resources)".
   */
  what: z.string(),
});
export type RunWait = Readonly<z.infer<typeof runWaitSchema>>;

const remedies: Readonly<Record<WaitReason, string>> = {
  device: 'Only one run at a time measures on a device, so that runs do not slow each other down.',
  disk: 'Free some space there. The run checks every 10 s and continues automatically.',
  engine: 'Start it, for example with "systemctl start docker". The run continues automatically.',
  job: 'The scheduler starts it. You can close the workbench in the meantime.',
};

/** "Waiting for space on /data: at least 1.2 GiB must be free, 30.0 MiB are." */
export const waitText = ({ what }: RunWait): string => `Waiting for ${what}.`;

export const waitRemedy = ({ reason }: RunWait): string => remedies[reason];

export function shortWaitText({ reason, what }: RunWait): string {
  switch (reason) {
    case 'device':
      return 'Queued behind another run';
    case 'disk':
      return 'Waiting for disk space';
    case 'engine':
      return 'Waiting for the Docker Engine';
    case 'job':
      return shortJobText(what);
  }
}

/** In order: upstream's stages, with images (containers only) and prepare-data before and report after them. */
export const stepIds = [
  'images',
  'prepare-data',
  'export',
  'convert',
  'configure',
  'deploy',
  'accuracy',
  'profile-data',
  'offline',
  'online',
  'report',
] as const;
export type StepId = (typeof stepIds)[number];

/** A repository is neither exported nor converted, and has no reference but a golden file. */
export function stepsOf({ engine, model, accuracy }: RunSpec): readonly StepId[] {
  const left = new Set<StepId>(inContainers(engine) ? [] : ['images']);
  if (repositoryOf(model) !== null) {
    for (const id of ['prepare-data', 'export', 'convert'] as const) left.add(id);
    if (accuracy.golden === undefined) left.add('accuracy');
  }
  return stepIds.filter((id) => !left.has(id));
}

export const scenarios = ['offline', 'online'] as const;
export type Scenario = (typeof scenarios)[number];

const step = z.enum(stepIds);

/** HMAC with the home's secret: this home wrote the record; see `store/run-seals.ts`. */
const seal = z.string().regex(/^[0-9a-f]{64}$/);

export const runOutcomes = ['done', 'failed', 'gate-failed', 'cancelled', 'paused'] as const;
export type RunOutcome = (typeof runOutcomes)[number];

export const reportFileSchema = z.object({
  kind: z.enum([
    'html',
    'pdf',
    'csv-offline',
    'csv-online',
    'csv-accuracy',
    'csv-slices',
    'csv-cold-start',
    'csv-traces',
    'json',
    'markdown',
  ]),
  /** Name inside `results`; older journals have an absolute path. */
  path: z.string(),
});
export type ReportFile = z.infer<typeof reportFileSchema>;

export const matrixMarkSchema = z.object({
  name: z.string().max(40),
  /** SHA-256 (hex) of the run's choice in the matrix. */
  entry: z.string().regex(/^[0-9a-f]{64}$/),
});
export type MatrixMark = Readonly<z.infer<typeof matrixMarkSchema>>;

const againLevelSchema = z.object({
  scenario: z.enum(scenarios),
  batchSize: z.int().min(1),
  concurrency: z.int().min(1),
  requestRate: z.number().positive().optional(),
  /** Factor by which windows are longer than first asked. */
  times: z.int().min(2),
});
export type AgainLevel = Readonly<z.infer<typeof againLevelSchema>>;

const created = z.object({
  type: z.literal('run-created'),
  runId: z.string(),
  environment: environmentSchema,
  matrix: matrixMarkSchema.optional(),
  /** Absent: written by a version without seals. */
  seal: seal.optional(),
});

/** Older records of servers and files also have a placeholder specification, which is dropped. */
const createdSchema = later(() =>
  z.union([
    created.extend({ onServer: serverLoadSchema }),
    created
      .extend({
        imported: importSourceSchema,
        /** Absent: a version that stored it as the specification's preset. */
        model: z.string().optional(),
        spec: z.object({ model: z.object({ preset: z.string() }) }).optional(),
      })
      .transform(({ spec, model, ...record }) => ({ ...record, model: model ?? spec?.model.preset ?? '' })),
    created.extend({ spec: runSpecSchema, specHash: z.string() }),
  ]),
);

const laterBodySchema = later(() =>
  z.discriminatedUnion('type', [
    /** Replaces the specification: steps and levels with the same key are kept, others are due again. */
    z.object({
      type: z.literal('spec-changed'),
      /** Complete and resolved, as in `run-created`. */
      spec: runSpecSchema,
      specHash: z.string(),
      changed: z.array(
        z.object({ path: z.string(), from: z.unknown().optional(), to: z.unknown().optional() }),
      ),
      steps: z.array(step),
      /** Keys of measured levels that remain results. */
      kept: z.array(z.string()),
      seal: seal.optional(),
    }),
    /** Levels of an earlier specification that this sweep needs are results again. */
    z.object({ type: z.literal('levels-kept'), scenario: z.enum(scenarios), keys: z.array(z.string()) }),
    /** Levels to repeat in longer windows; until then their measurements remain. */
    z.object({ type: z.literal('levels-again'), levels: z.array(againLevelSchema) }),
    /** These files, relative to the run's folder, may be used and executed. */
    z.object({ type: z.literal('run-trusted'), files: z.array(fileEntrySchema), seal }),
    z.object({
      type: z.literal('run-started'),
      attempt: z.int().min(1),
      pid: z.int(),
      node: z.string().optional(),
    }),
    z.object({ type: z.literal('job-submitted'), job: runJobSchema }),
    /** The job ends, or ended, before its run. */
    z.object({
      type: z.literal('job-ended'),
      id: z.string(),
      end: z.enum(jobEnds),
      node: z.string().nullable(),
    }),
    z.object({ type: z.literal('environment'), environment: environmentSchema }),
    /** As in `RunWait`; null: the wait is over. */
    z.object({
      type: z.literal('run-waiting'),
      for: z.string().nullable(),
      /** Absent: the device. */
      reason: z.enum(waitReasons).optional(),
      error: wireErrorSchema.optional(),
    }),
    z.object({ type: z.literal('annotation'), tags: z.array(z.string()), note: z.string() }),
    /** null removes the name. */
    z.object({ type: z.literal('run-name'), name: z.string().nullable() }),
    /** In milliseconds; null removes it. */
    z.object({ type: z.literal('p99-budget'), p99BudgetMs: z.number().positive().nullable() }),
    /** By a measurement of its own, of the configuration at that time. */
    z.object({ type: z.literal('model-memory'), memory: modelMemorySchema }),
    /** On loads of its own, before the run's own load; of a running server by its first request. */
    z.object({ type: z.literal('cold-start'), coldStart: coldStartSchema }),
    /** Of a Hugging Face folder: what exactly was deployed. */
    z.object({ type: z.literal('model-record'), record: modelRecordSchema }),
    /** Asked for beside the run, of the configuration at that time. */
    z.object({ type: z.literal('warm-up-trial'), trial: warmUpTrialSchema }),
    /** Measures despite a failed accuracy gate; until the check itself is repeated. */
    z.object({ type: z.literal('gate-overridden') }),
    /** Of an attempt in containers: reason for the release of NVIDIA's images, and skipped problems. */
    z.object({
      type: z.literal('preflight'),
      /** A sentence; null: machine unknown, or the release was named. */
      release: z.string().nullable(),
      skipped: z.boolean(),
      problems: z.array(z.object({ title: z.string(), finding: z.string() })),
    }),
    /** Steps to repeat whatever their keys. */
    z.object({
      type: z.literal('steps-forgotten'),
      steps: z.array(step),
      /** Finding; absent: requested by a person. */
      reason: z.string().optional(),
    }),
    z.object({ type: z.literal('step-started'), step, attempt: z.int().min(1), key: z.string() }),
    /** Exactly as it was run, for report and copying. */
    z.object({ type: z.literal('command'), step, argv: z.array(z.string()), note: z.string().optional() }),
    z.object({
      type: z.literal('step-skipped'),
      step,
      key: z.string(),
      reason: z.enum(['unchanged', 'cached', 'not-needed']),
    }),
    z.object({
      type: z.literal('step-finished'),
      step,
      key: z.string(),
      durationUs: z.number().min(0),
      /** In order: "Parameters: 25,557,032", "Model file: model.onnx, 97.7 MiB". */
      facts: z.array(z.object({ name: z.string(), value: z.string() })),
      warnings: z.array(z.string()),
      /** Reusable output files of the step, on disk before this record, without logs. */
      files: z.array(fileEntrySchema).optional(),
      /** Of `files`. */
      seal: seal.optional(),
    }),
    z.object({ type: z.literal('step-failed'), step, durationUs: z.number().min(0), error: wireErrorSchema }),
    z.object({ type: z.literal('step-cancelled'), step, durationUs: z.number().min(0) }),
    z.object({
      type: z.literal('measurement'),
      scenario: z.enum(scenarios),
      /** Identifies the level and all that decides its value; a journaled key is not measured again. */
      key: z.string(),
      point: loadPointSchema,
    }),
    /** A level without a result: shown as a gap with its reason. */
    z.object({
      type: z.literal('measurement-missing'),
      scenario: z.enum(scenarios),
      key: z.string(),
      batchSize: z.int(),
      concurrency: z.int(),
      requestRate: z.number().positive().optional(),
      /** Number and tool of the measurement; absent: the only one, with the chosen tool. */
      repeat: z.int().min(1).optional(),
      loadTool: z.enum(loadTools).optional(),
      error: wireErrorSchema,
    }),
    z.object({
      type: z.literal('trace'),
      scenario: z.enum(scenarios),
      /** Of the measured level. */
      key: z.string(),
      event: traceEventSchema,
    }),
    z.object({ type: z.literal('accuracy'), key: z.string(), result: accuracyResultSchema }),
    z.object({ type: z.literal('report'), files: z.array(reportFileSchema) }),
    z.object({
      type: z.literal('run-finished'),
      outcome: z.enum(runOutcomes),
      error: wireErrorSchema.optional(),
    }),
  ]),
);

/** One line of `journal.jsonl`, on disk before anyone is notified. */
const journalBodySchema = z.union([laterBodySchema, createdSchema]);
export type JournalBody = z.infer<typeof journalBodySchema>;
export type RunCreated = z.infer<typeof createdSchema>;

const journalHeadSchema = z.object({
  seq: z.int().min(1),
  /** Wall clock, ISO 8601; durations never come from it. */
  at: z.string(),
});
export const journalEntrySchema = z.intersection(journalHeadSchema, journalBodySchema);
export type JournalEntry = JournalBody & { readonly seq: number; readonly at: string };

/**
 * null where invalid. Not `journalEntrySchema`, which would walk every window again to merge both.
 * @param jitless for few entries: to compile a parser for each object takes longer than to read some without
 */
export function readJournalEntry(value: unknown, jitless = false): JournalEntry | null {
  const head = journalHeadSchema.safeParse(value, { jitless });
  const body = journalBodySchema.safeParse(value, { jitless });
  return head.success && body.success ? { ...head.data, ...body.data } : null;
}

/** Live progress, not journaled. */
export type RunLive =
  | { readonly type: 'log'; readonly runId: string; readonly step: StepId; readonly lines: readonly string[] }
  | {
      readonly type: 'progress';
      readonly runId: string;
      readonly step: StepId;
      /** 0 to 1, or null when it cannot be known. */
      readonly fraction: number | null;
      readonly text: string;
    }
  | {
      /** A stop was requested; `pause` lets the current level or step end first. */
      readonly type: 'stopping';
      readonly runId: string;
      readonly how: 'pause' | 'cancel';
    }
  | {
      /** The run waits, and its disk has no room for the journal entry. */
      readonly type: 'held-up';
      readonly runId: string;
      readonly wait: RunWait;
    }
  | {
      readonly type: 'window';
      readonly runId: string;
      readonly scenario: Scenario;
      readonly batchSize: number;
      readonly concurrency: number;
      readonly requestRate?: number | undefined;
      readonly index: number;
      readonly inferencesPerSecond: number;
      /** null: perf_analyzer does not report it per window. */
      readonly p99Us: number | null;
      /** From the time each request was due, of request-rate levels. */
      readonly scheduledP99Us?: number | undefined;
    };

export type RunEvent =
  { readonly type: 'journal'; readonly runId: string; readonly entry: JournalEntry } | RunLive;

const mostShown = 10;

/** By number, from 1; their content may be missing. */
export interface LeftOutLines {
  readonly damagedLines: readonly number[];
  /** Whole, of a version that has more. Absent: none. */
  readonly newerLines?: readonly number[] | undefined;
}

/** "Line 3 of journal.jsonl is damaged. …"; null without damage. */
export function damageText(lines: readonly number[]): string | null {
  if (lines.length === 0) return null;
  const lost =
    'A measured level, the outcome of a step or a note recorded there may be missing; all other records are kept.';
  if (lines.length === 1) return `Line ${lines.join()} of journal.jsonl is damaged. ${lost}`;
  const shown = lines.length > mostShown ? lines.slice(0, mostShown) : lines.slice(0, -1);
  const rest =
    lines.length > mostShown ? `${formatCount(lines.length - mostShown)} more` : lines.slice(-1).join();
  return `Lines ${shown.join(', ')} and ${rest} of journal.jsonl are damaged. ${lost}`;
}

/** "Line 3 of journal.jsonl was written by a newer version …"; null without such lines. */
export function newerText(lines: readonly number[]): string | null {
  if (lines.length === 0) return null;
  const which =
    lines.length === 1
      ? `Line ${lines.join()} of journal.jsonl was`
      : `${formatCount(lines.length)} lines of journal.jsonl were`;
  return `${which} written by a newer version of the workbench and left out.`;
}

/** What of a journal was left out and why; null: nothing. */
export function leftOutText({ damagedLines, newerLines = [] }: LeftOutLines): string | null {
  const texts = [damageText(damagedLines), newerText(newerLines)].filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join(' ');
}

/** Problems that a start skipped, for report and page. */
export function skippedText({
  problems,
}: {
  readonly problems: readonly { readonly title: string; readonly finding: string }[];
}): string {
  const found = problems.map(({ title, finding }) => `${title}: ${finding}`);
  return `Preflight problems were skipped (--skip-preflight). ${found.join(' ') || 'There were none.'}`;
}
