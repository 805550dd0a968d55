import { z } from 'zod';
import type { WireError } from '../errors';
import { later } from '../later';
import { studyNamePattern } from '../opened';
import { runOutcomes } from '../run/run-events';
import type { RunState } from '../run/run-state';
import { choiceSchema, p99BudgetMsSchema } from '../run/spec-tools';
import { type ByType, type OfType, present, type Tree } from '../trees';
import { wireErrorSchema } from '../wire-error';
import type { DuelStrategy } from './duel';
import type { JointStrategy } from './joint';
import {
  candidateFailedSchema,
  candidateMemorySchema,
  lookSchema,
  type Searched,
  type SearchStrategy,
  servedPlaceSchema,
} from './search';
import { soakBodies, type SoakDetail, type Soaked, type SoakStrategy } from './soak';
import type { StudyLengthRow } from './study-lengths';
import {
  upgradeBodies,
  type Upgraded,
  type UpgradeDetail,
  type UpgradeStrategy,
  upgradeStrategySchema,
  withPresentAgain,
} from './upgrade';

const nameSchema = z.string().regex(studyNamePattern, 'up to 40 letters, digits, ".", "_" and "-"');

export type StudyState = 'planned' | 'running' | 'damaged' | 'newer' | StudyOutcome;

const axesSchema = z.array(z.strictObject({ field: z.string(), value: z.string() }));

export const trialSchema = z.strictObject({
  choice: choiceSchema,
  axes: axesSchema,
  /** Why it cannot run; null: no obstacle in the file. */
  refusal: z.string().nullable(),
});
export type StudyTrial = z.infer<typeof trialSchema>;

export const studySpecSchema = z.strictObject({
  name: nameSchema,
  /** Kind and trials; each kind's schema, beside it, has further fields. A search has no trials. */
  strategy: z.looseObject({ kind: z.string().max(40), trials: z.array(trialSchema).max(1000) }),
  /** Hosts to spread runs over, "local" for this machine, or "all"; null: as each run says. */
  hosts: z.array(z.string().max(64)).min(1).max(256).nullable(),
  skipPreflight: z.boolean().optional(),
  p99BudgetMs: p99BudgetMsSchema.optional(),
});
export type StudySpec = z.infer<typeof studySpecSchema>;

const studyOutcomes = ['done', 'failed', 'paused', 'cancelled'] as const;
export type StudyOutcome = (typeof studyOutcomes)[number];

const number = z.int().min(1);
const numbered = { seq: z.int().min(1), at: z.string() };

const bodies = () =>
  [
    /** First line, and at each restart or change of the specification. */
    z.object({ type: z.literal('study-planned'), spec: studySpecSchema }),
    z.object({ type: z.literal('study-started'), pid: z.int() }),
    /** Obstacles of trials, and runs they already have. */
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
    /** `turn` of `of`: position among due trials. `host` null: as the run says. */
    z.object({
      type: z.literal('trial-begun'),
      number,
      turn: z.int(),
      of: z.int(),
      host: z.string().nullable(),
    }),
    /** `job`: id of the job that it was handed to. */
    z.object({ type: z.literal('trial-run'), number, runId: z.string(), job: z.string().nullable() }),
    /** `outcome` null: `error` prevented the run. `isMoved`: its host went away, and another one starts it again. */
    z.object({
      type: z.literal('trial-ended'),
      number,
      outcome: z.enum(runOutcomes).nullable(),
      error: wireErrorSchema.nullable(),
      isMoved: z.boolean(),
    }),
    /** Of a search: one measurement of a candidate, and a candidate that cannot be measured. */
    z.object({ type: z.literal('look'), look: lookSchema }),
    candidateFailedSchema.extend({ type: z.literal('candidate-failed') }),
    candidateMemorySchema.extend({ type: z.literal('candidate-memory') }),
    /** A Triton serves its candidates; again for each that was started. */
    servedPlaceSchema.unwrap().extend({ type: z.literal('candidates-served') }),
    /** Of a soak: what was read of the server, and what the load came to. */
    ...soakBodies(),
    /** Of an upgrade: what served, whether the outputs agree, and how long loading took. */
    ...upgradeBodies(),
    /** `error`: why it failed as a whole. */
    z.object({
      type: z.literal('study-ended'),
      outcome: z.enum(studyOutcomes),
      error: wireErrorSchema.optional(),
    }),
  ] as const;
export type StudyBody = z.infer<ReturnType<typeof bodies>[number]>;

export const studyEntrySchema = later(() => z.object(numbered).and(z.discriminatedUnion('type', bodies())));
export type StudyEntry = z.infer<typeof studyEntrySchema>;

export interface TrialState {
  readonly axes?: StudyTrial['axes'] | undefined;
  readonly leftOut: string | null;
  readonly error: WireError | null;
  readonly hosts?: readonly string[] | undefined;
  /** null: no run was created. */
  readonly runId: string | null;
}

export interface Study {
  readonly name: string;
  readonly spec: StudySpec;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly isStarted: boolean;
  /** null: not ended since it last started. */
  readonly outcome: StudyOutcome | null;
  /** Why it failed as a whole; null: it did not. */
  readonly error: WireError | null;
  /** By number; unknown ones are absent. */
  readonly trials: Readonly<Record<number, TrialState>>;
  /** Empty for other strategies. */
  readonly searched: Searched;
  /** Absent for other strategies. */
  readonly soaked?: Soaked;
  /** Absent for other strategies. */
  readonly upgraded?: Upgraded;
}

type Fold = Study | null;

export const unknownTrial: TrialState = { leftOut: null, error: null, runId: null };

const withTrial = (state: Fold, number: number, change: Partial<TrialState>): Fold =>
  state && {
    ...state,
    trials: { ...state.trials, [number]: { ...(state.trials[number] ?? unknownTrial), ...change } },
  };

const nothingSoaked: Soaked = { blocks: [], slices: [] };
const nothingUpgraded: Upgraded = { served: {}, outputs: null, loads: [] };

function withSoaked(state: Fold, change: (soaked: Soaked) => Partial<Soaked>): Fold {
  const { soaked = nothingSoaked } = state ?? {};
  return state && { ...state, soaked: { ...soaked, ...change(soaked) } };
}

const withUpgraded = (state: Fold, change: (upgraded: Upgraded) => Partial<Upgraded>): Fold => {
  if (state === null) return null;
  const { upgraded = nothingUpgraded } = state;
  return { ...state, upgraded: { ...upgraded, ...change(upgraded) } };
};

const folds: ByType<StudyEntry, Fold, [state: Fold]> = {
  'study-planned': ({ spec, at }, state) => ({
    name: spec.name,
    spec,
    createdAt: state?.createdAt ?? at,
    updatedAt: at,
    isStarted: false,
    outcome: null,
    error: null,
    trials: {},
    searched: { looks: [], failed: {} },
  }),
  'study-started': (_entry, state) => {
    if (state === null) return null;
    const isUpgrade = state.spec.strategy.kind === upgradeStrategySchema.shape.kind.value;
    const searched = isUpgrade ? withPresentAgain(state.searched) : state.searched;
    return { ...state, searched, isStarted: true, outcome: null, error: null };
  },
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
  look: ({ look }, state) =>
    state && { ...state, searched: { ...state.searched, looks: [...state.searched.looks, look] } },
  'candidate-failed': ({ candidate, error }, state) => {
    if (state === null) return null;
    const failed = { ...state.searched.failed, [candidate]: error };
    return { ...state, searched: { ...state.searched, failed } };
  },
  'candidate-memory': ({ candidate, hostBytes, gpuBytes }, state) => {
    if (state === null) return null;
    const memory = { ...state.searched.memory, [candidate]: { hostBytes, gpuBytes } };
    return { ...state, searched: { ...state.searched, memory } };
  },
  'candidates-served': ({ engine, host, address, tritonVersion }, state) => {
    if (state === null) return null;
    const place = { engine, ...present({ host }), address, tritonVersion };
    return { ...state, searched: { ...state.searched, place } };
  },
  'soak-block': ({ block }, state) => withSoaked(state, ({ blocks }) => ({ blocks: [...blocks, block] })),
  'soak-slice': ({ slice }, state) => withSoaked(state, ({ slices }) => ({ slices: [...slices, slice] })),
  'upgrade-served': ({ served: one }, state) =>
    withUpgraded(state, ({ served }) => ({ served: { ...served, [one.side]: one } })),
  'upgrade-outputs': ({ outputs }, state) => withUpgraded(state, () => ({ outputs })),
  'upgrade-load': ({ load }, state) => withUpgraded(state, ({ loads }) => ({ loads: [...loads, load] })),
  'study-ended': ({ outcome, error = null }, state) => state && { ...state, outcome, error },
};

function fold<Type extends StudyEntry['type']>(state: Fold, entry: OfType<StudyEntry, Type>): Fold {
  const after = folds[entry.type](entry, state);
  return after && { ...after, updatedAt: entry.at };
}

export const reduceStudy = (entries: readonly StudyEntry[]): Study | null =>
  entries.reduce<Fold>((state, entry) => fold(state, entry), null);

export interface StudySummary {
  readonly name: string;
  readonly state: StudyState;
  /** Its process died: the study can be continued. */
  readonly interrupted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Why it failed as a whole; null: it did not. */
  readonly error: WireError | null;
  /** "2 of 4 runs complete, 1 failed". */
  readonly sentence: string;
  readonly runs: number;
  readonly complete: number;
  /** Number of the run in progress, or of the next one; only of runs that are under way. */
  readonly currentRun?: number;
  /** false: no specification to continue by: a damaged journal, that of a newer version, or a matrix of an earlier one. */
  readonly isKept: boolean;
}

/** Consent given by the command line itself; never stored. */
export interface StudyConsent {
  readonly trust?: boolean;
  readonly allowRemoteLoad?: boolean;
  /** The person, not a file, named the hosts. */
  readonly hosts?: boolean;
  /** Given file; files beside it may be read. */
  readonly file?: string;
  /** By trial number, less one. */
  readonly typed?: readonly Tree[];
}

/** Best steady level of a scenario; else the best level, with `steady` false. */
export interface StudyLevel {
  readonly inferencesPerSecond: number;
  readonly p99Us: number | null;
  readonly steady: boolean;
  readonly text: string;
}

export interface StudyRow {
  readonly number: number;
  readonly axes: StudyTrial['axes'];
  readonly gpu: string | null;
  readonly host: string | null;
  readonly runId: string | null;
  readonly state: string;
  readonly status: RunState['status'] | null;
  /** Why there is no result, or its doubt. */
  readonly reason: string | null;
  readonly accuracy: string | null;
  readonly offline: StudyLevel | null;
  readonly online: StudyLevel | null;
}

/** The best of a search, and how to run it. */
export interface SearchWinner {
  readonly runId: string;
  /** Of the command: `triton-workbench resume RUN --set configure.instances=2`. */
  readonly argv: readonly string[];
}

/** config.pbtxt of the best configuration of a search, and of the present one. */
export interface WinnerConfigs {
  /** The run whose model it is, which is deployed and bundled. */
  readonly runId: string;
  readonly winner: string;
  readonly present: string;
  /** Nothing checked the outputs of the run, which is asked about before it is deployed. */
  readonly unchecked?: true;
}

export interface StudyDetail extends StudySummary {
  /** null: no search, or the present configuration is the best so far. */
  readonly winner: SearchWinner | null;
  /** null: another kind of study. */
  readonly search: { readonly search: SearchStrategy; readonly searched: Searched } | null;
  /** null: not of several models; a model has its run once it was made. */
  readonly joint: { readonly joint: JointStrategy; readonly searched: Searched } | null;
  /** Absent: another kind of study. */
  readonly soak?: SoakDetail;
  /** Absent: another kind of study. */
  readonly upgrade?: UpgradeDetail;
  readonly rows: readonly StudyRow[];
  /** Best of the complete runs, and whether beyond noise; absent: another kind of study, in progress, or nothing to compare. */
  readonly best?: { readonly sentence: string; readonly isClear: boolean };
  /** Absent: no matrix over lengths. */
  readonly byLength?: readonly StudyLengthRow[];
  /** One line per run in progress: "Run 2 of 6: level 3 of 8, about 27 s left". */
  readonly underWay: readonly string[];
  /** Estimate; null: unknown, or nothing in progress. */
  readonly secondsLeft: number | null;
}

export interface StudyPlan {
  readonly runs: readonly (Pick<StudyRow, 'number' | 'axes'> & { readonly leftOut: string | null })[];
  /** One sentence each. */
  readonly notes: readonly string[];
  /** Measuring time by the settings, runs one after the other; null where windows end by count or a search decides. */
  readonly seconds: number | null;
}

export interface StudySize {
  readonly runIds: readonly string[];
  readonly runBytes: number;
}

/** What has to be agreed to before models are loaded on a Triton that is already running. */
export interface LoadQuestion {
  readonly question: string;
  /** What is loaded there, its memory, and what is unloaded, a sentence each. */
  readonly facts: readonly string[];
}

/** A search before it is started. */
export interface SearchPlan {
  readonly spec: StudySpec;
  readonly search: SearchStrategy;
  /** "model instances 2": how each candidate differs, in their order. */
  readonly candidates: readonly string[];
  /** What was chosen and why, a sentence each. */
  readonly notes: readonly string[];
  /** Absent: it is served by a Triton that is started for it. */
  readonly asks?: LoadQuestion | undefined;
}

/** A search of several models before it is started. */
export interface JointPlan extends Pick<SearchPlan, 'spec' | 'notes'> {
  readonly joint: JointStrategy;
}

/** A comparison in turns before it is started. */
export interface DuelPlan extends Pick<SearchPlan, 'spec' | 'notes' | 'asks'> {
  readonly duel: DuelStrategy;
}

/** A soak before it is started. `asks` absent: nothing is unloaded on a server of others. */
export interface SoakPlan extends Pick<SearchPlan, 'spec' | 'notes' | 'asks'> {
  readonly soak: SoakStrategy;
}

/** An upgrade before it is started. */
export interface UpgradePlan extends Pick<SearchPlan, 'spec' | 'notes'> {
  readonly upgrade: UpgradeStrategy;
}

/** A configuration of a search as a run, which has a level of each load at which it was measured. */
export interface SearchCapacity {
  readonly name: string;
  readonly candidate: number;
  /** "model instances 2", "present configuration". */
  readonly configuration: string;
  /** How it was measured, a sentence. */
  readonly note: string;
  readonly state: RunState;
  /** The present configuration; null: that is it. */
  readonly present: RunState | null;
}

export interface StudyReports {
  readonly files: readonly { readonly kind: string; readonly path: string }[];
  /** null where there is a PDF. */
  readonly problem: WireError | null;
}
