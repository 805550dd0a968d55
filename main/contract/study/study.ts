import { z } from 'zod';
import type { WireError } from '../errors';
import { runOutcomes } from '../run/run-events';
import type { RunState } from '../run/run-state';
import { choiceSchema, p99BudgetMsSchema } from '../run/spec-tools';
import type { ByType, OfType, Tree } from '../trees';
import { wireErrorSchema } from '../wire-error';

/** Name of a study, and of its folders in the home. */
export const studyNamePattern = /^\w[\w.-]{0,39}$/;
const nameSchema = z.string().regex(studyNamePattern, 'up to 40 letters, digits, ".", "_" and "-"');

export type StudyState = 'planned' | 'running' | 'damaged' | StudyOutcome;

const axesSchema = z.array(z.strictObject({ field: z.string(), value: z.string() }));

export const trialSchema = z.strictObject({
  choice: choiceSchema,
  /** What tells it from the other trials. */
  axes: axesSchema,
  /** Why it cannot be run; null where nothing in the file stands against it. */
  refusal: z.string().nullable(),
});
export type StudyTrial = z.infer<typeof trialSchema>;

/** What is asked for before a study begins: what to try, where, and with what budget. */
export const studySpecSchema = z.strictObject({
  name: nameSchema,
  /** Its kind, the trials that it is given, and what else it asks for: each kind has its own schema beside it. */
  strategy: z.looseObject({ kind: z.string().max(40), trials: z.array(trialSchema).min(1).max(1000) }),
  /** Hosts to spread the runs over, "local" for this machine, or "all"; null: each where it says itself. */
  hosts: z.array(z.string().max(64)).min(1).max(256).nullable(),
  skipPreflight: z.boolean().optional(),
  p99BudgetMs: p99BudgetMsSchema.optional(),
});
export type StudySpec = z.infer<typeof studySpecSchema>;

const studyOutcomes = ['done', 'failed', 'paused', 'cancelled'] as const;
export type StudyOutcome = (typeof studyOutcomes)[number];

const number = z.int().min(1);
const numbered = { seq: z.int().min(1), at: z.string() };

/** What a study's journal has, one line each. */
const bodies = [
  /** First line, and each time that the study begins anew or is given another specification. */
  z.object({ type: z.literal('study-planned'), spec: studySpecSchema }),
  z.object({ type: z.literal('study-started'), pid: z.int() }),
  /** What keeps trials from being run, and the runs that they have already. */
  z.object({
    type: z.literal('trials-placed'),
    trials: z.array(
      z.object({
        number,
        /** Of a trial that is not among those the strategy was given. */
        axes: axesSchema.optional(),
        leftOut: z.string().nullable(),
        error: wireErrorSchema.nullable(),
        hosts: z.array(z.string()).optional(),
        runId: z.string().nullable(),
      }),
    ),
  }),
  /** `turn` of `of`: which it is among those that are due. `host`: where it is begun; null: where it says itself. */
  z.object({
    type: z.literal('trial-begun'),
    ...{ number, turn: z.int(), of: z.int(), host: z.string().nullable() },
  }),
  /** The run of a trial. `job`: id of the job that it was handed to. */
  z.object({ type: z.literal('trial-run'), number, runId: z.string(), job: z.string().nullable() }),
  /** `outcome` null: `error` kept it from being run; else it is what its run ended with. `isMoved`: its host went away, and another one begins it anew. */
  z.object({
    type: z.literal('trial-ended'),
    number,
    outcome: z.enum(runOutcomes).nullable(),
    error: wireErrorSchema.nullable(),
    isMoved: z.boolean(),
  }),
  z.object({ type: z.literal('study-ended'), outcome: z.enum(studyOutcomes) }),
] as const;
export type StudyBody = z.infer<(typeof bodies)[number]>;

export const studyEntrySchema = z.object(numbered).and(z.discriminatedUnion('type', bodies));
export type StudyEntry = z.infer<typeof studyEntrySchema>;

/** What the journal says of one trial. */
export interface TrialState {
  readonly axes?: StudyTrial['axes'] | undefined;
  readonly leftOut: string | null;
  readonly error: WireError | null;
  readonly hosts?: readonly string[] | undefined;
  /** null: no run was created for it. */
  readonly runId: string | null;
}

/** What its journal says of a study. */
export interface Study {
  readonly name: string;
  readonly spec: StudySpec;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly isStarted: boolean;
  /** null: it has not ended since it was last started. */
  readonly outcome: StudyOutcome | null;
  /** By number; those that nothing is known of are not in it. */
  readonly trials: Readonly<Record<number, TrialState>>;
}

type Fold = Study | null;

export const unknownTrial: TrialState = { leftOut: null, error: null, runId: null };

const withTrial = (state: Fold, number: number, change: Partial<TrialState>): Fold =>
  state && {
    ...state,
    trials: { ...state.trials, [number]: { ...(state.trials[number] ?? unknownTrial), ...change } },
  };

const folds: ByType<StudyEntry, Fold, [state: Fold]> = {
  'study-planned': ({ spec, at }, state) => ({
    ...{ name: spec.name, spec, createdAt: state?.createdAt ?? at, updatedAt: at },
    ...{ isStarted: false, outcome: null, trials: {} },
  }),
  'study-started': (_entry, state) => state && { ...state, isStarted: true, outcome: null },
  'trials-placed': ({ trials }, state) =>
    trials.reduce((fold, { number, ...trial }) => withTrial(fold, number, trial), state),
  'trial-begun': ({ number }, state) => withTrial(state, number, { error: null }),
  'trial-run': ({ number, runId }, state) => withTrial(state, number, { runId }),
  'trial-ended': ({ number, outcome, error, isMoved }, state) =>
    withTrial(
      state,
      number,
      isMoved ? { error: null, runId: null } : { error: outcome === null ? error : null },
    ),
  'study-ended': ({ outcome }, state) => state && { ...state, outcome },
};

function fold<Type extends StudyEntry['type']>(state: Fold, entry: OfType<StudyEntry, Type>): Fold {
  const after = folds[entry.type](entry, state);
  return after && { ...after, updatedAt: entry.at };
}

/** What a journal says of its study; null where it does not begin with one. Pure. */
export const reduceStudy = (entries: readonly StudyEntry[]): Study | null =>
  entries.reduce<Fold>((state, entry) => fold(state, entry), null);

/** A study in the list. */
export interface StudySummary {
  readonly name: string;
  readonly state: StudyState;
  /** Its process ended before it did: what it had begun can be continued. */
  readonly interrupted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** "2 of 4 runs complete, 1 failed". */
  readonly sentence: string;
  readonly runs: number;
  readonly complete: number;
  /** false: no specification to continue it by, as its journal is damaged or it is a matrix of an earlier version. */
  readonly isKept: boolean;
}

/** The part of a choice that a command itself says, and what else its person agreed to; nothing of it is kept. */
export interface StudyConsent {
  readonly trust?: boolean;
  readonly allowRemoteLoad?: boolean;
  /** The hosts of the study were named by the person, and not by a file. */
  readonly hosts?: boolean;
  /** The file that was given; files beside it may be read. */
  readonly file?: string;
  /** By number of the trial, less one. */
  readonly typed?: readonly Tree[];
}

/** The best steady level of a scenario; where none is steady, the best level, which `steady` says. */
export interface StudyLevel {
  readonly inferencesPerSecond: number;
  readonly p99Us: number | null;
  readonly steady: boolean;
  readonly text: string;
}

/** One run of a study with what it came to so far. */
export interface StudyRow {
  readonly number: number;
  readonly axes: StudyTrial['axes'];
  readonly gpu: string | null;
  readonly host: string | null;
  readonly runId: string | null;
  /** In words. */
  readonly state: string;
  readonly status: RunState['status'] | null;
  /** Why there is no result, or what is in doubt about it. */
  readonly reason: string | null;
  readonly accuracy: string | null;
  readonly offline: StudyLevel | null;
  readonly online: StudyLevel | null;
}

export interface StudyDetail extends StudySummary {
  readonly rows: readonly StudyRow[];
  /** Each run in progress, one line: "Run 2 of 6: level 3 of 8, about 27 s left". */
  readonly underWay: readonly string[];
  /** An estimate; null: nothing is known of it, or nothing is under way. */
  readonly secondsLeft: number | null;
}

/** A study before it is started. */
export interface StudyPlan {
  readonly runs: readonly (Pick<StudyRow, 'number' | 'axes'> & { readonly leftOut: string | null })[];
  /** What is to be known before it, one sentence each. */
  readonly notes: readonly string[];
  /** What measuring takes by the settings, one run after the other; null where windows end by count or a search decides. */
  readonly seconds: number | null;
}

/** What removing a study with its runs takes away. */
export interface StudySize {
  readonly runIds: readonly string[];
  readonly runBytes: number;
}

export interface StudyReports {
  readonly files: readonly { readonly kind: string; readonly path: string }[];
  /** Why there is no PDF; null where there is one. */
  readonly problem: WireError | null;
}
