import type { Handlers } from '../contract/api';
import type { HostFit } from '../contract/host/host-text';
import type { RunOutcome } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import type { Choice } from '../contract/run/spec-tools';
import type { StudyBody, StudyConsent, StudyEntry, StudySpec, StudyTrial } from '../contract/study/study';
import type { Tree } from '../contract/trees';
import type { MatrixResult } from '../domain/measured/matrix-result';
import type { Runs } from '../pipeline/runs';
import type { Approvals } from '../store/approvals';
import type { RunStore } from '../store/run-store';
import type { RunTrash } from '../store/run-trash';
import type { StudyStore } from './study-store';

/** What a study works with. */
export interface StudyHands {
  readonly studies: StudyStore;
  readonly runs: Pick<Runs, 'create' | 'execute' | 'annotate' | 'cancel' | 'pause' | 'submit' | 'follow'>;
  readonly store: Pick<RunStore, 'load' | 'list' | 'folderOf'>;
  readonly trash: Pick<RunTrash, 'remove'>;
  readonly approvals: Pick<Approvals, 'missing' | 'add'>;
  /** Keeps what the person who gave this specification agreed to. */
  readonly approve: (spec: RunSpec, consent: Consent) => Promise<void>;
  readonly preview: Handlers['spec.preview'];
  readonly check: Handlers['runs.check'];
  readonly resolve: (choice: Choice) => Promise<RunSpec>;
  readonly hostFits: (input: {
    readonly spec: RunSpec;
    readonly hosts: readonly string[];
    readonly modelOfGpu: boolean;
    readonly skipPreflight?: boolean;
  }) => Promise<readonly HostFit[]>;
  /** Of the list of hosts. */
  readonly hostNames: () => Promise<readonly string[]>;
  /** Writes the report to the study's folder of reports in the home. */
  readonly writeReport: (name: string, results: readonly MatrixResult[]) => Promise<unknown>;
  readonly removeReports: (name: string) => Promise<void>;
  readonly onEntry: (name: string, entry: StudyEntry) => void;
}

interface Consent {
  readonly trust?: boolean | undefined;
  readonly allowRemoteLoad?: boolean | undefined;
  readonly typed?: unknown;
  readonly file?: string | undefined;
}

/** A trial before it is run. */
export interface PlannedTrial extends MatrixResult {
  readonly choice: StudyTrial['choice'];
  /** SHA-256 (hex) of the choice: how its run is found again. */
  readonly entry: string;
}

/** Where a run is given to. */
export interface HostAllocation {
  /** "local": this machine. */
  readonly host: string;
  /** The GPUs there that it may have; null: as it asks. */
  readonly gpus: readonly string[] | null;
}

/** A trial with what stands in its way, and where it can be measured. */
export interface PlacedTrial extends PlannedTrial {
  /** null: it is not given to a host, and measured where it says itself. */
  readonly allocations: readonly HostAllocation[] | null;
  /** Why it is not given to hosts that it could else be given to, one text each. */
  readonly notes: readonly string[];
}

/** A trial with what it came to. */
export interface EndedTrial extends PlannedTrial {
  /** null: nothing was done with it, as it is left out, was complete before, or has an `error`. */
  readonly outcome: RunOutcome | null;
}

/** The ways to stop a study: no further run is begun. */
export interface StudyStops {
  /** Runs under way pause before their next level or step. */
  readonly pause: AbortController;
  readonly cancel: AbortController;
  /** Runs that jobs work on are left to them. */
  readonly leave: AbortController;
  /** This process ends: other runs are cancelled, and the study is paused. */
  readonly close: AbortController;
}

export const createStudyStops = (): StudyStops => ({
  ...{ pause: new AbortController(), cancel: new AbortController() },
  ...{ leave: new AbortController(), close: new AbortController() },
});

export const isStopped = (stops: StudyStops): boolean =>
  Object.values(stops).some(({ signal }: AbortController) => signal.aborted);

/** A study that this process works on. */
export interface StudySession {
  readonly hands: StudyHands;
  readonly spec: StudySpec;
  /** Hosts to spread the runs over; null: each where it says itself. */
  readonly hosts: readonly string[] | null;
  readonly consent: StudyConsent;
  readonly stops: StudyStops;
  readonly record: (body: StudyBody) => Promise<void>;
  /** The run that is there already for a choice, by its hash, where runs are continued. */
  readonly runOf: (trial: Pick<PlannedTrial, 'entry'>) => string | undefined;
}

export const typedOf = ({ consent }: StudySession, number: number): Tree => consent.typed?.[number - 1] ?? {};
