import type { Handlers } from '../contract/api';
import type { HostFit } from '../contract/host/host-text';
import type { RunOutcome } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import type { Choice } from '../contract/run/spec-tools';
import type { StudyBody, StudyConsent, StudyEntry, StudySpec, StudyTrial } from '../contract/study/study';
import type { Tree } from '../contract/trees';
import type { MatrixResult } from '../domain/measured/matrix-result';
import type { Runs } from '../pipeline/runs';
import type { Approvals, GivenConsent } from '../store/approvals';
import type { RunStore } from '../store/run-store';
import type { RunTrash } from '../store/run-trash';
import type { StudyStore } from './study-store';

export interface StudyHands {
  readonly studies: StudyStore;
  readonly active: ActiveStudies;
  readonly runs: Pick<Runs, 'create' | 'execute' | 'annotate' | 'cancel' | 'pause' | 'submit' | 'follow'>;
  readonly store: Pick<RunStore, 'load' | 'list' | 'folderOf'>;
  readonly trash: Pick<RunTrash, 'remove'>;
  readonly approvals: Pick<Approvals, 'missing' | 'add'>;
  /** Records the consent given with the specification. */
  readonly approve: (spec: RunSpec, consent: GivenConsent) => Promise<void>;
  readonly preview: Handlers['spec.preview'];
  readonly check: Handlers['runs.check'];
  readonly resolve: (choice: Choice) => Promise<RunSpec>;
  readonly hostFits: (input: {
    readonly spec: RunSpec;
    readonly hosts: readonly string[];
    readonly modelOfGpu: boolean;
    readonly skipPreflight?: boolean;
  }) => Promise<readonly HostFit[]>;
  /** Names in the host list. */
  readonly hostNames: () => Promise<readonly string[]>;
  /** Writes to the study's reports folder. */
  readonly writeReport: (name: string, results: readonly MatrixResult[]) => Promise<unknown>;
  readonly removeReports: (name: string) => Promise<void>;
  readonly onEntry: (name: string, entry: StudyEntry) => void;
}

/** A trial before execution. */
export interface PlannedTrial extends MatrixResult {
  readonly choice: StudyTrial['choice'];
  /** SHA-256 (hex) of the choice, by which its run is found again. */
  readonly entry: string;
}

/** Target of a run. */
export interface HostAllocation {
  /** "local": this machine. */
  readonly host: string;
  /** Assigned GPUs; null: as specified. */
  readonly gpus: readonly string[] | null;
}

/** A trial with obstacles and candidate places. */
export interface PlacedTrial extends PlannedTrial {
  /** null: not distributed, but as specified. */
  readonly allocations: readonly HostAllocation[] | null;
  /** Why other hosts do not fit. */
  readonly notes: readonly string[];
}

/** A trial with its result. */
export interface EndedTrial extends PlannedTrial {
  /** null: not executed, because it is left out, complete, or has an `error`. */
  readonly outcome: RunOutcome | null;
}

/** Stop signals; none starts further runs. */
export interface StudyStops {
  /** Pause active runs before their next level or step. */
  readonly pause: AbortController;
  readonly cancel: AbortController;
  /** Leave runs to their jobs. */
  readonly leave: AbortController;
  /** Shutdown: cancel other runs, and pause the study. */
  readonly close: AbortController;
}

export const createStudyStops = (): StudyStops => ({
  pause: new AbortController(),
  cancel: new AbortController(),
  leave: new AbortController(),
  close: new AbortController(),
});

export const isStopped = (stops: StudyStops): boolean =>
  Object.values(stops).some(({ signal }: AbortController) => signal.aborted);

/** Studies that this process works on, of every kind. */
export class ActiveStudies {
  private readonly all = new Map<string, { readonly stops: StudyStops; readonly end: Promise<unknown> }>();

  /** Counts the study as active until `work` has ended, which {@link close} waits for. */
  during<End>(name: string, stops: StudyStops, work: () => Promise<End>): Promise<End> {
    const end = work().finally(() => this.all.delete(name));
    this.all.set(name, { stops, end: end.catch(() => undefined) });
    return end;
  }

  stopsOf(name: string): StudyStops | undefined {
    return this.all.get(name)?.stops;
  }

  underWay(): readonly string[] {
    return [...this.all.keys()];
  }

  /** Ends active runs, and pauses the studies. */
  async close(): Promise<void> {
    const ends = [...this.all.values()].map(({ stops, end }) => {
      stops.close.abort();
      return end;
    });
    await Promise.all(ends);
  }
}

/** A study with its execution context. */
export interface StudySession {
  readonly hands: StudyHands;
  readonly spec: StudySpec;
  /** Hosts to distribute runs over; null: as specified. */
  readonly hosts: readonly string[] | null;
  readonly consent: StudyConsent;
  readonly stops: StudyStops;
  readonly record: (body: StudyBody) => Promise<void>;
  /** The run that is there already for a choice, by its hash, where runs are continued. */
  readonly runOf: (trial: Pick<PlannedTrial, 'entry'>) => string | undefined;
}

export const typedOf = ({ consent }: StudySession, number: number): Tree => consent.typed?.[number - 1] ?? {};
