import type { CoreEvent, Handlers } from '../contract/api';
import type { PastRun } from '../contract/run/run-step';
import { likeRuns, pastRunOf } from '../domain/run/past-runs';
import type { Drafts } from '../store/drafts';
import type { RunStore } from '../store/run-store';
import type { RunTrash } from '../store/run-trash';
import type { Runs } from './runs';

type CallName = Exclude<
  Extract<keyof Handlers, `runs.${string}` | `drafts.${string}`>,
  'runs.measureMemory' | 'runs.tryWarmUp' | 'runs.list' | 'runs.import' | 'runs.check' | 'runs.bundle'
>;

/** A run that cannot be read, or is removed meanwhile, says nothing. */
export async function pastOf(store: RunStore, runId: string): Promise<readonly PastRun[]> {
  const [{ state }, { runs }] = await Promise.all([store.load(runId), store.listAtHand()]);
  const read = likeRuns(state, runs).map(({ runId: id, alike }) =>
    store.load(id).then(
      (past) => pastRunOf(past.state, alike),
      () => null,
    ),
  );
  return (await Promise.all(read)).filter((past) => past !== null);
}

export function createRunsCalls(parts: {
  readonly runs: Runs;
  readonly store: RunStore;
  readonly trash: RunTrash;
  readonly drafts: Drafts;
  readonly emit: (event: CoreEvent) => void;
}): { readonly handlers: Pick<Handlers, CallName> } {
  const { runs, store, trash, drafts, emit } = parts;
  const changed = async (work: Promise<unknown>): Promise<null> => {
    await work;
    emit({ type: 'runs-changed' });
    return null;
  };
  const done = async (work: Promise<unknown>): Promise<null> => {
    await work;
    return null;
  };
  return {
    handlers: {
      'runs.get': async ({ runId }) => (await store.load(runId)).state,
      'runs.past': ({ runId }) => pastOf(store, runId),
      'runs.start': async ({ spec, ...how }) => {
        const runId = await runs.create(spec, undefined, how);
        await runs.execute(runId, { skipPreflight: how.skipPreflight });
        return { runId };
      },
      'runs.resume': ({ runId, ...how }) => done(runs.execute(runId, how)),
      'runs.rerunFrom': ({ runId, step }) => done(runs.execute(runId, { from: step })),
      'runs.planRerun': ({ runId, step }) => runs.planRerun(runId, step),
      'runs.planChange': ({ runId, spec }) => runs.planChange(runId, spec),
      'runs.change': ({ runId, ...how }) => done(runs.execute(runId, how)),
      'runs.trust': ({ runId }) => done(runs.trust(runId)),
      'runs.cancel': ({ runId }) => done(runs.cancel(runId)),
      'runs.pause': ({ runId }) => done(runs.pause(runId)),
      'runs.annotate': ({ runId, ...annotation }) => done(runs.annotate(runId, annotation)),
      'runs.rename': ({ runId, name }) => done(runs.rename(runId, name)),
      'runs.setBudget': ({ runId, p99BudgetMs }) => done(runs.setBudget(runId, p99BudgetMs)),
      'runs.remove': ({ runId }) => changed(trash.remove(runId)),
      'runs.restore': ({ runId }) => changed(trash.restore(runId)),
      'runs.log': ({ runId, step, limit }) => store.logTail(runId, step, limit),
      'drafts.list': () => drafts.list(),
      'drafts.save': (draft) => done(drafts.save(draft)),
      'drafts.remove': ({ id }) => done(drafts.remove(id)),
    },
  };
}
