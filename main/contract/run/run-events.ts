import { z } from 'zod';
import { jobEnds, runJobSchema, shortJobText } from '../job/run-job';
import { accuracyResultSchema, environmentSchema, loadPointSchema } from '../measured/results';
import { formatCount } from '../numbers';
import { wireErrorSchema } from '../wire-error';
import { fileEntrySchema } from './artefacts';
import { inContainers } from './engine-kinds';
import { importSourceSchema } from './imported';
import { loadTools, type RunSpec, runSpecSchema } from './run-spec';
import { serverLoadSchema } from './server-load';

/**
 * What a run waits for: its turn on the device, room on a disk, the Docker Engine, or its job. Nobody has to do anything
 * to the run: it continues by itself.
 */
const waitReasons = ['device', 'disk', 'engine', 'job'] as const;
type WaitReason = (typeof waitReasons)[number];

export const runWaitSchema = z.object({
  reason: z.enum(waitReasons),
  /**
   * `device`: the id of the run, or the other work in words, that measures there now. `disk`: "space on /data: at least
   * 1.2 GiB must be free, 30.0 MiB are". `engine`: "the Docker Engine at unix:///var/run/docker.sock". `job`: "Slurm
   * job 12, queued on gpu (Resources)".
   */
  what: z.string(),
});
export type RunWait = Readonly<z.infer<typeof runWaitSchema>>;

const remedies: Readonly<Record<WaitReason, string>> = {
  device: 'One run measures on a device at a time, so that neither slows the other.',
  disk: 'Free some space there. The run looks every 10 s and continues by itself.',
  engine: 'Start it, for example with "systemctl start docker". The run continues by itself.',
  job: 'The scheduler starts it. You can close the workbench in the meantime.',
};

/** "Waiting for space on /data: at least 1.2 GiB must be free, 30.0 MiB are." */
export const waitText = ({ what }: RunWait): string => `Waiting for ${what}.`;

/** What to do about it, or why it is so. */
export const waitRemedy = ({ reason }: RunWait): string => remedies[reason];

/** For a row of a list. */
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

/**
 * The steps in their order; upstream's stages, with images (in containers only) and prepare-data in front and report
 * behind.
 */
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

/** The steps that a run of this specification has. */
export function stepsOf(spec: RunSpec): readonly StepId[] {
  return inContainers(spec.engine) ? stepIds : stepIds.filter((id) => id !== 'images');
}

export const scenarios = ['offline', 'online'] as const;
export type Scenario = (typeof scenarios)[number];

const step = z.enum(stepIds);

/** Proof, with the secret of a workbench home, that this home wrote the record; see `store/run-seals.ts`. */
const seal = z.string().regex(/^[0-9a-f]{64}$/);

export const runOutcomes = ['done', 'failed', 'gate-failed', 'cancelled', 'paused'] as const;
export type RunOutcome = (typeof runOutcomes)[number];

export const reportFileSchema = z.object({
  kind: z.enum(['html', 'pdf', 'csv-offline', 'csv-online', 'csv-accuracy', 'json', 'markdown']),
  /** In a journal a name inside `results`; older ones hold the absolute path that it had. */
  path: z.string(),
});
export type ReportFile = z.infer<typeof reportFileSchema>;

/** The matrix that a run was created for. */
export const matrixMarkSchema = z.object({
  name: z.string().max(40),
  /** SHA-256 (hex) of what was chosen for this run of it. */
  entry: z.string().regex(/^[0-9a-f]{64}$/),
});
export type MatrixMark = Readonly<z.infer<typeof matrixMarkSchema>>;

const againLevelSchema = z.object({
  scenario: z.enum(scenarios),
  batchSize: z.int().min(1),
  concurrency: z.int().min(1),
  requestRate: z.number().positive().optional(),
  /** How much longer its windows are than was asked for at first. */
  times: z.int().min(2),
});
export type AgainLevel = Readonly<z.infer<typeof againLevelSchema>>;

const created = z.object({
  type: z.literal('run-created'),
  runId: z.string(),
  environment: environmentSchema,
  matrix: matrixMarkSchema.optional(),
  /** Absent: of a version that sealed no runs. */
  seal: seal.optional(),
});

/** Older records of servers and files hold a specification as well, which nobody has chosen: it is dropped. */
const createdSchema = z.union([
  /** Measures a Triton that was there already. */
  created.extend({ onServer: serverLoadSchema }),
  /** Not measured here: the figures are those of this file. */
  created
    .extend({
      imported: importSourceSchema,
      /** Absent: of a version that wrote it as the preset of a specification. */
      model: z.string().optional(),
      spec: z.object({ model: z.object({ preset: z.string() }) }).optional(),
    })
    .transform(({ spec, model, ...record }) => ({ ...record, model: model ?? spec?.model.preset ?? '' })),
  /** Makes and deploys its model. */
  created.extend({ spec: runSpecSchema, specHash: z.string() }),
]);

const laterBodySchema = z.discriminatedUnion('type', [
  /**
   * The specification is another one from here on. Steps and levels that it asks for with the same key are kept, all others
   * are due again; the record of what was measured before stays in the journal.
   */
  z.object({
    type: z.literal('spec-changed'),
    /** Whole and resolved, as in `run-created`. */
    spec: runSpecSchema,
    specHash: z.string(),
    changed: z.array(
      z.object({ path: z.string(), from: z.unknown().optional(), to: z.unknown().optional() }),
    ),
    /** Steps that are to be done again. */
    steps: z.array(step),
    /** Keys of the measured levels that are still results of the run. */
    kept: z.array(z.string()),
    seal: seal.optional(),
  }),
  /** Levels of an earlier specification that this sweep asks for too: they are results of the run again. */
  z.object({ type: z.literal('levels-kept'), scenario: z.enum(scenarios), keys: z.array(z.string()) }),
  /** These levels are measured once more, in longer windows; until then, what was measured of them stands. */
  z.object({ type: z.literal('levels-again'), levels: z.array(againLevelSchema) }),
  /** Somebody trusted a run from elsewhere: these files, relative to its folder, may be used and executed. */
  z.object({ type: z.literal('run-trusted'), files: z.array(fileEntrySchema), seal }),
  z.object({
    type: z.literal('run-started'),
    attempt: z.int().min(1),
    pid: z.int(),
    /** Of an attempt inside of a job: the node that it runs on. */
    node: z.string().optional(),
  }),
  /** The run was handed to a job, which works on it from here on. */
  z.object({ type: z.literal('job-submitted'), job: runJobSchema }),
  /** The job ends, or has ended, before the run does: by whom it was seen. */
  z.object({
    type: z.literal('job-ended'),
    id: z.string(),
    end: z.enum(jobEnds),
    node: z.string().nullable(),
  }),
  z.object({ type: z.literal('environment'), environment: environmentSchema }),
  /** What is waited for, as `RunWait` has it; null: the wait is over. */
  z.object({
    type: z.literal('run-waiting'),
    for: z.string().nullable(),
    /** Absent: the device. */
    reason: z.enum(waitReasons).optional(),
    /** What the run met. */
    error: wireErrorSchema.optional(),
  }),
  /** Tags and note, by people. */
  z.object({ type: z.literal('annotation'), tags: z.array(z.string()), note: z.string() }),
  /** What people call the run; null takes the name away. */
  z.object({ type: z.literal('run-name'), name: z.string().nullable() }),
  /** The p99 that a level must keep to be an answer, in milliseconds, by people; null takes it away. */
  z.object({ type: z.literal('p99-budget'), p99BudgetMs: z.number().positive().nullable() }),
  /** Someone chose to measure although the accuracy gate did not pass; holds until the check itself is forgotten. */
  z.object({ type: z.literal('gate-overridden') }),
  /** Of an attempt in containers: why it has its release of NVIDIA's images, and whether problems were passed over. */
  z.object({
    type: z.literal('preflight'),
    /** A sentence; null where nothing is known of the machine, or of another release that was named. */
    release: z.string().nullable(),
    skipped: z.boolean(),
    problems: z.array(z.object({ title: z.string(), finding: z.string() })),
  }),
  /** These steps are to be done again whatever their keys say. */
  z.object({
    type: z.literal('steps-forgotten'),
    steps: z.array(step),
    /** What was found; absent: somebody asked for it. */
    reason: z.string().optional(),
  }),
  z.object({ type: z.literal('step-started'), step, attempt: z.int().min(1), key: z.string() }),
  /** A command exactly as it was run, for the report and for copying. */
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
    /** Facts for people, in order: "Parameters: 25,557,032", "Model file: model.onnx, 97.7 MiB". */
    facts: z.array(z.object({ name: z.string(), value: z.string() })),
    warnings: z.array(z.string()),
    /** What the step left in its folder, logs excluded, on disk before this record; of steps whose files are reused. */
    files: z.array(fileEntrySchema).optional(),
    /** Of `files`. */
    seal: seal.optional(),
  }),
  z.object({ type: z.literal('step-failed'), step, durationUs: z.number().min(0), error: wireErrorSchema }),
  z.object({ type: z.literal('step-cancelled'), step, durationUs: z.number().min(0) }),
  z.object({
    type: z.literal('measurement'),
    scenario: z.enum(scenarios),
    /** Identifies the level and everything that decides its value; a key that stands in the journal is not measured again. */
    key: z.string(),
    point: loadPointSchema,
  }),
  /** A level that was tried and gave nothing: shown as a hole, with its reason. */
  z.object({
    type: z.literal('measurement-missing'),
    scenario: z.enum(scenarios),
    key: z.string(),
    batchSize: z.int(),
    concurrency: z.int(),
    requestRate: z.number().positive().optional(),
    /** Which of several measurements, and with which tool; absent: the only one, with the chosen tool. */
    repeat: z.int().min(1).optional(),
    loadTool: z.enum(loadTools).optional(),
    error: wireErrorSchema,
  }),
  z.object({ type: z.literal('accuracy'), key: z.string(), result: accuracyResultSchema }),
  z.object({ type: z.literal('report'), files: z.array(reportFileSchema) }),
  z.object({
    type: z.literal('run-finished'),
    outcome: z.enum(runOutcomes),
    error: wireErrorSchema.optional(),
  }),
]);

/** What is written to `journal.jsonl`, one line each, before anyone is told. */
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

/** As `journalEntrySchema` reads it, null for what is none; not by that, which goes through every window again to merge both. */
export function readJournalEntry(value: unknown): JournalEntry | null {
  const head = journalHeadSchema.safeParse(value);
  const body = journalBodySchema.safeParse(value);
  return head.success && body.success ? { ...head.data, ...body.data } : null;
}

/** Live news of a run that is not worth a journal line. */
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
      /** Someone asked the run to stop, and it has not yet: `pause` ends the level or step under way first. */
      readonly type: 'stopping';
      readonly runId: string;
      readonly how: 'pause' | 'cancel';
    }
  | {
      /** The run waits, and its journal has no room to say so. */
      readonly type: 'held-up';
      readonly runId: string;
      readonly wait: RunWait;
    }
  | {
      /** The window that just ended on the level under way. */
      readonly type: 'window';
      readonly runId: string;
      readonly scenario: Scenario;
      readonly batchSize: number;
      readonly concurrency: number;
      readonly requestRate?: number | undefined;
      readonly index: number;
      readonly inferencesPerSecond: number;
      /** null: perf_analyzer does not say it of single windows. */
      readonly p99Us: number | null;
      /** From the time at which each request was due; of request-rate levels. */
      readonly scheduledP99Us?: number | undefined;
    };

export type RunEvent =
  { readonly type: 'journal'; readonly runId: string; readonly entry: JournalEntry } | RunLive;

const mostShown = 10;

/** "Line 3 of journal.jsonl is damaged. …"; null when every line is whole. */
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

/** What a run was started in spite of, for its report and its page. */
export function skippedText({
  problems,
}: {
  readonly problems: readonly { readonly title: string; readonly finding: string }[];
}): string {
  const found = problems.map(({ title, finding }) => `${title}: ${finding}`);
  return `Preflight problems were skipped (--skip-preflight). ${found.join(' ') || 'There were none.'}`;
}
