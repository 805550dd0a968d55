import { join } from 'node:path';
import type { CoreEvent } from '../../main/contract/api';
import { type StepId, stepIds } from '../../main/contract/run/run-events';
import type { OpenServices, RunEnd } from '../../main/pipeline/attempt';
import type { JobRuns } from '../../main/pipeline/jobs/job-runs';
import type { ExecuteOptions, RunsOptions } from '../../main/pipeline/run-options';
import { Runs } from '../../main/pipeline/runs';
import type { Servers } from '../../main/pipeline/server-run';
import type { InputServices, Step, StepContext, StepOutcome } from '../../main/pipeline/step';
import type { LoadedPreset } from '../../main/presets/presets';
import { ArtefactCache } from '../../main/store/artefact-cache';
import type { RunStore } from '../../main/store/run-store';
import { environmentFixture, noServers, specFixture } from './run-state';
import { runStore } from './run-store';

const kinds: Partial<Record<StepId, Step['kind']>> = {
  images: 'session',
  'prepare-data': 'files',
  export: 'files',
  convert: 'files',
  configure: 'files',
  'profile-data': 'files',
  deploy: 'session',
};

const needs: Partial<Record<StepId, readonly StepId[]>> = {
  'prepare-data': ['images'],
  export: ['images', 'prepare-data'],
  convert: ['images', 'export'],
  configure: ['convert'],
  deploy: ['images', 'configure'],
  accuracy: ['images', 'deploy'],
  'profile-data': ['images', 'convert'],
  offline: ['images', 'accuracy', 'profile-data', 'deploy'],
  online: ['images', 'offline', 'deploy'],
  report: ['online', 'offline', 'accuracy'],
};

type Doing = (context: StepContext) => Promise<StepOutcome>;

/** Runs in a home, with their real store, journal and cache; the steps only note that they ran and leave small files. */
export class NotingRuns {
  done: StepId[] = [];
  readonly store: RunStore;
  readonly runs: Runs;
  readonly events: CoreEvent[] = [];
  preflight: RunsOptions['preflight'] = () => Promise.resolve(null);

  constructor(
    readonly home: string,
    doing: Partial<Record<StepId, Doing>>,
    servers: Servers = noServers,
    jobsOf: (store: RunStore) => JobRuns | undefined = () => undefined,
  ) {
    this.store = runStore(join(home, 'runs'), join(home, 'run-key'));
    const steps = stepIds.map((id): Step => ({
      id,
      kind: kinds[id] ?? 'record',
      needs: needs[id] ?? [],
      deadlineS: 60,
      inputs: () => Promise.resolve(id),
      run: async (context) => {
        this.done.push(id);
        return (await doing[id]?.(context)) ?? {};
      },
    }));
    const nothing = () => Promise.resolve();
    const jobs = jobsOf(this.store);
    this.runs = new Runs({
      store: this.store,
      ...(jobs === undefined ? {} : { jobs }),
      cache: new ArtefactCache(join(home, 'cache')),
      steps,
      presetOf: () => Promise.resolve({ preset: {} } as unknown as LoadedPreset),
      completed: (spec) => Promise.resolve(spec),
      check: nothing,
      preflight: (spec, how) => this.preflight(spec, how),
      inputServices: () => Promise.resolve({} as unknown as InputServices),
      open: () =>
        Promise.resolve({
          services: {},
          engineWatch: null,
          reclaim: nothing,
          release: nothing,
        } as unknown as OpenServices),
      sweep: nothing,
      environmentFor: () => Promise.resolve(environmentFixture()),
      takeDevice: () => Promise.resolve(nothing),
      servers,
      disks: [],
      emit: (event) => this.events.push(event),
    });
  }

  create(): Promise<string> {
    return this.runs.create(specFixture());
  }

  /** One attempt to its end; `done` then holds the steps that ran in it. */
  async attempt(runId: string, options: ExecuteOptions = {}): Promise<RunEnd> {
    this.done = [];
    return (await this.runs.execute(runId, options)).end;
  }

  /** The reason with which steps were to be done again, last. */
  async reason(runId: string): Promise<string | undefined> {
    const { state } = await this.store.load(runId);
    const event = this.events.findLast(
      (event) =>
        event.type === 'journal' && event.entry.type === 'steps-forgotten' && event.runId === state.runId,
    );
    return event?.type === 'journal' && event.entry.type === 'steps-forgotten'
      ? event.entry.reason
      : undefined;
  }
}
