import { readdir } from 'node:fs/promises';
import { pastOf } from '../../pipeline/runs-calls';
import type { HomeLayout } from '../../platform/layout';
import type { JobStatusReader } from '../../store/current-status';
import { reportPaths } from '../../store/run-files';
import { RunKey } from '../../store/run-key';
import { RunStore } from '../../store/run-store';
import type { Core } from '../core-interface';

/** Runs of a home, as the whole core reads them. */
export const runReading = (
  store: RunStore,
): Pick<Core['handlers'], 'runs.all' | 'runs.ids' | 'runs.show'> => ({
  'runs.all': () => store.list(),
  'runs.ids': async () => [...(await store.runDirs()).keys()],
  'runs.show': async ({ runId }) => {
    const { state, folder } = await store.load(runId);
    return { state: { ...state, reports: reportPaths(folder, state.reports) }, dir: folder.dir };
  },
});

export type RunReading = Pick<
  Core['handlers'],
  'runs.all' | 'runs.ids' | 'runs.past' | 'runs.show' | 'studies.list'
>;

/** Calls of runs and studies that read only. */
export function createRunReading(layout: HomeLayout, jobs: JobStatusReader): RunReading {
  const store = new RunStore(layout.runs, new RunKey(layout.runKey), jobs);
  return {
    ...runReading(store),
    'runs.past': ({ runId }) => pastOf(store, runId),
    'studies.list': async () => {
      const [listed, kept] = await Promise.all([store.list(), readdir(layout.studies).catch(() => [])]);
      // What reads a study is loaded where there is one: runs of earlier versions make one by their matrix.
      if (kept.length === 0 && listed.runs.every(({ matrix }) => matrix === undefined)) return [];
      const [{ listStudies }, { StudyStore }] = await Promise.all([
        import('../../studies/find-studies'),
        import('../../studies/study-store'),
      ]);
      return listStudies({
        store: { list: () => Promise.resolve(listed) },
        studies: new StudyStore(layout.studies),
      });
    },
  };
}
