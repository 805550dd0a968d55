import { pastOf } from '../../pipeline/runs-calls';
import type { HomeLayout } from '../../platform/layout';
import type { JobStatusReader } from '../../store/current-status';
import { reportPaths } from '../../store/run-files';
import { RunKey } from '../../store/run-key';
import { RunStore } from '../../store/run-store';
import type { Core } from '../core-interface';

/** Runs of a home, as the whole core reads them. */
export const runReading = (store: RunStore): Pick<Core['handlers'], 'runs.all' | 'runs.show'> => ({
  'runs.all': () => store.list(),
  'runs.show': async ({ runId }) => {
    const { state, folder } = await store.load(runId);
    return { state: { ...state, reports: reportPaths(folder, state.reports) }, dir: folder.dir };
  },
});

export type RunReading = Pick<Core['handlers'], 'runs.all' | 'runs.past' | 'runs.show' | 'studies.list'>;

/** Calls of runs and studies that read only. */
export function createRunReading(layout: HomeLayout, jobs: JobStatusReader): RunReading {
  const store = new RunStore(layout.runs, new RunKey(layout.runKey), jobs);
  return {
    ...runReading(store),
    'runs.past': ({ runId }) => pastOf(store, runId),
    'studies.list': async () => {
      const [{ listStudies }, { StudyStore }] = await Promise.all([
        import('../../studies/find-studies'),
        import('../../studies/study-store'),
      ]);
      return listStudies({ store, studies: new StudyStore(layout.studies) });
    },
  };
}
