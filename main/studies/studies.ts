import { toWire, WorkbenchError } from '../contract/errors';
import { didYouMean } from '../contract/fields/nearest-name';
import type { RunSummary } from '../contract/run/run-outcome';
import { specOf } from '../contract/run/run-source';
import type { RunState } from '../contract/run/run-state';
import type { Study, StudyConsent, StudySize, StudySpec, StudySummary } from '../contract/study/study';
import { sameValue } from '../contract/trees';
import type { MatrixResult } from '../domain/measured/matrix-result';
import { trialsOf, withRun } from '../domain/study/study-state';
import { watchRequests } from '../pipeline/attempt';
import { freedBytes } from '../platform/files';
import { drive, isOfJobs, place, type Proposal, type StudyEnd } from './drive';
import { findStudy, type FoundStudy, listStudies, ownRuns } from './find-studies';
import { hostsOf, planTrials } from './plan-trials';
import { strategyOf } from './strategies';
import {
  createStudyStops,
  type PlannedTrial,
  type StudyHands,
  type StudySession,
  type StudyStops,
} from './study-hands';

export interface StudyPlanned {
  readonly trials: readonly PlannedTrial[];
  readonly notes: readonly string[];
  readonly hosts: readonly string[] | null;
}

export interface OpenHow {
  /** Continue existing runs of this name, and keep complete ones. */
  readonly resume: boolean;
  readonly consent: StudyConsent;
  readonly stops?: StudyStops;
}

/** A study with its lease, before work begins. */
export interface OpenStudy extends Proposal {
  /** Throws input-invalid for a mixture. */
  readonly isOfJobs: () => boolean;
  /** Existing runs of this name: of these trials, and all. */
  readonly existing: { readonly ofTrials: number; readonly all: number };
  /** Journals the start; `work` does it if needed. Throws errors of writing. */
  begin(): Promise<void>;
  /** @param how.detach submit jobs without waiting */
  work(how?: { readonly detach?: boolean }): Promise<StudyEnd>;
  close(): Promise<void>;
}

/** A study with results so far. */
export interface ShownStudy {
  /** null: a matrix of an earlier version. */
  readonly study: Study | null;
  readonly summary: StudySummary;
  readonly results: readonly MatrixResult[];
}

interface WorkHow {
  readonly detach: boolean;
  /** Throws the error of a failed journal write. */
  readonly requireWritten: () => void;
}

const unknown = (name: string, known: readonly StudySummary[]): WorkbenchError =>
  new WorkbenchError(
    'study-unknown',
    `Unknown study "${name}"${didYouMean(
      name,
      known.map((one) => one.name),
    )}`,
  );

/** The studies of a home. */
export class Studies {
  constructor(private readonly hands: StudyHands) {}

  /** The runs it would start; nothing is started. Throws preset-unknown, host-unknown. */
  async plan(spec: StudySpec, consent: StudyConsent = {}): Promise<StudyPlanned> {
    const hosts = await hostsOf(this.hands, spec, consent.hosts === true ? '--hosts' : 'hosts');
    const first = strategyOf(spec.strategy).propose([]);
    return { hosts, ...(await planTrials(this.hands, first, { first: 1, isSpread: hosts !== null })) };
  }

  /** Takes the lease and checks trials; start errors are results. Throws study-busy, journal-corrupt. */
  async open(
    spec: StudySpec,
    plan: StudyPlanned,
    { resume, consent, stops = createStudyStops() }: OpenHow,
  ): Promise<OpenStudy> {
    const { hands } = this;
    const { name } = spec;
    const release = await hands.studies.hold(name);
    try {
      await hands.studies.forgetRequests(name);
      const before = await hands.studies.load(name);
      const runs = await this.runsOf(name);
      const byEntry = new Map(runs.map(({ matrix, runId }) => [matrix?.entry ?? '', runId]));
      const { record, requireWritten } = this.recorder(name);
      const session: StudySession = {
        hands,
        spec,
        hosts: plan.hosts,
        consent,
        stops,
        record,
        runOf: ({ entry }) => (resume ? byEntry.get(entry) : undefined),
      };
      const proposal = await place(session, plan.trials);
      const isNew = !resume || before === null || !sameValue(before.spec, spec);
      let begun: Promise<void> | null = null;
      const noteBegin = async (): Promise<void> => {
        if (isNew) await record({ type: 'study-planned', spec });
        await record({ type: 'study-started', pid: process.pid });
        requireWritten();
      };
      const begin = (): Promise<void> => (begun ??= noteBegin());
      return {
        ...proposal,
        isOfJobs: () => isOfJobs(proposal.trials),
        existing: {
          ofTrials: plan.trials.filter(({ entry }) => byEntry.has(entry)).length,
          all: byEntry.size,
        },
        begin,
        work: async ({ detach = false } = {}) => {
          await begin();
          return this.work(session, proposal, { detach, requireWritten });
        },
        close: release,
      };
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** A failed journal write does not end active runs; it is reported afterwards. */
  private recorder(name: string): Pick<StudySession, 'record'> & { readonly requireWritten: () => void } {
    const { studies, onEntry } = this.hands;
    const failed: unknown[] = [];
    return {
      record: async (body) => {
        try {
          onEntry(name, await studies.append(name, body));
        } catch (error) {
          failed.push(error);
        }
      },
      requireWritten: () => {
        if (failed.length > 0) throw failed[0];
      },
    };
  }

  private work(
    session: StudySession,
    proposal: Proposal,
    { detach, requireWritten }: WorkHow,
  ): Promise<StudyEnd> {
    const { spec, stops, record } = session;
    return this.hands.active.during(spec.name, stops, async () => {
      const stopWatching = watchRequests(this.hands.studies.folderOf(spec.name), stops);
      try {
        const end = await drive(session, proposal, { detach });
        requireWritten();
        return end;
      } catch (error) {
        await record({ type: 'study-ended', outcome: 'failed', error: toWire(error) });
        throw error;
      } finally {
        stopWatching();
      }
    });
  }

  /** Works in the background; writes the report at the end. */
  async start(spec: StudySpec, how: OpenHow): Promise<void> {
    if (!how.resume && (await this.find(spec.name)) !== null) {
      throw new WorkbenchError('input-invalid', `A study "${spec.name}" already exists`, {
        where: 'name',
        remedy: 'Choose another name, or resume that study.',
      });
    }
    const opened = await this.open(spec, await this.plan(spec), how);
    const worked = async (): Promise<void> => {
      try {
        const { results } = await opened.work();
        if (results !== null) await this.hands.writeReport(spec.name, results);
      } finally {
        await opened.close();
      }
    };
    if (opened.trials.every(({ leftOut }) => leftOut !== null)) {
      await opened.close();
      const [first] = opened.trials;
      throw new WorkbenchError('input-invalid', `None of its runs is possible. ${first?.leftOut ?? ''}`, {
        where: 'matrix',
      });
    }
    await opened.begin().catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
    // The result is in the journal.
    void worked().catch(() => undefined);
  }

  /** Throws study-unknown, and input-invalid for runs of an earlier version. */
  async specOf(name: string): Promise<StudySpec> {
    const study = await this.hands.studies.load(name);
    if (study !== null) return study.spec;
    await this.require(name);
    throw new WorkbenchError('input-invalid', `The matrix "${name}" is of an earlier version`, {
      where: name,
      remedy: 'Continue it with its file: run --matrix FILE --resume.',
    });
  }

  /** Newest first, including matrices of earlier versions. */
  list(): Promise<readonly StudySummary[]> {
    return listStudies(this.hands);
  }

  private async find(name: string): Promise<FoundStudy | null> {
    return findStudy(this.hands, (await this.hands.store.list()).runs, name);
  }

  /** Throws study-unknown. */
  private async require(name: string): Promise<FoundStudy> {
    const found = await this.find(name);
    if (found === null) throw unknown(name, await this.list());
    return found;
  }

  /** Throws study-unknown. */
  async show(name: string): Promise<ShownStudy> {
    const { summary, study, own } = await this.require(name);
    if (study === null) {
      const states = await Promise.all(own.map(({ runId }) => this.stateOf(runId)));
      const results = states.flatMap((state, at): MatrixResult[] =>
        state === null
          ? []
          : [{ number: at + 1, axes: [], spec: specOf(state), state, leftOut: null, error: null }],
      );
      return { study, summary, results };
    }
    const results = await Promise.all(
      trialsOf(study).map(async (trial) => withRun(trial, await this.stateOf(trial.runId))),
    );
    return { study, summary, results };
  }

  private async stateOf(runId: string | null): Promise<RunState | null> {
    if (runId === null) return null;
    const loaded = await this.hands.store.load(runId).catch(() => null);
    return loaded?.state ?? null;
  }

  private async runsOf(name: string): Promise<readonly RunSummary[]> {
    return ownRuns((await this.hands.store.list()).runs, name);
  }

  /** Starts no further run, and stops active ones. Throws study-unknown, and input-invalid unless in progress. */
  async stop(name: string, how: 'cancel' | 'pause'): Promise<void> {
    const { studies, runs, active } = this.hands;
    const own = active.stopsOf(name);
    if (own !== undefined) {
      own[how].abort();
      return;
    }
    if (await studies.isHeld(name)) {
      await studies.request(name, how);
      return;
    }
    const { results } = await this.show(name);
    const running = results.flatMap(({ state }) => (state?.status === 'running' ? [state.runId] : []));
    if (running.length === 0) {
      throw new WorkbenchError('input-invalid', `The study is not in progress: there is nothing to ${how}`, {
        where: name,
        remedy: 'Continue it with "studies resume".',
      });
    }
    for (const runId of running) await runs[how](runId);
  }

  /** Its runs and the bytes that they take. Throws study-unknown. */
  async size(name: string): Promise<StudySize> {
    const { own } = await this.require(name);
    return { runIds: own.map(({ runId }) => runId), runBytes: await freedBytes(own.map(({ dir }) => dir)) };
  }

  /** Removes reports and optionally runs (to the trash). Throws study-unknown, study-busy, run-busy. */
  async remove(name: string, { withRuns }: { readonly withRuns: boolean }): Promise<void> {
    const { studies, trash, removeReports } = this.hands;
    const { own } = await this.require(name);
    const release = await studies.hold(name);
    try {
      if (withRuns) for (const { runId } of await this.runsOf(name)) await trash.remove(runId);
      await studies.remove(name, { runsStay: !withRuns && own.length > 0 });
      await removeReports(name);
    } finally {
      await release();
    }
  }
}
