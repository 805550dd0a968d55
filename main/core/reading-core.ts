import { readdir } from 'node:fs/promises';
import { createSettingsStore, withProxy } from '../home/settings-store';
import { pastOf } from '../pipeline/runs-calls';
import { endLeftChildren } from '../platform/exec';
import { type HomeLayout, homeLayout } from '../platform/layout';
import { closedHomeText, keepHomePrivate, requireHomeFolder } from '../platform/private-home';
import type { JobStatusReader } from '../store/current-status';
import { reportPaths } from '../store/run-files';
import { RunKey } from '../store/run-key';
import { RunStore } from '../store/run-store';
import type { Core } from './core-interface';
import type { CoreOptions } from './core-parts';

type ReadingCall =
  | 'home.closed'
  | 'presets.differences'
  | 'presets.list'
  | 'presets.published'
  | 'runs.all'
  | 'runs.past'
  | 'runs.show'
  | 'settings.get'
  | 'studies.list';

/** What verbs that only read ask for. The whole core answers it, too. */
export interface ReadingCore {
  readonly handlers: Pick<Core['handlers'], ReadingCall>;
}

/** Runs of a home, as the whole core reads them. */
export const runReading = (store: RunStore): Pick<Core['handlers'], 'runs.all' | 'runs.show'> => ({
  'runs.all': () => store.list(),
  'runs.show': async ({ runId }) => {
    const { state, folder } = await store.load(runId);
    return { state: { ...state, reports: reportPaths(folder, state.reports) }, dir: folder.dir };
  },
});

export type ReadingOptions = Pick<CoreOptions, 'home' | 'resources' | 'env'> & {
  /** Folder of the program's own files. */
  readonly bundles: string;
};

const settingsOf = ({ settings }: HomeLayout) =>
  createSettingsStore({ file: settings, now: () => new Date(), onChange: () => undefined });

/** Schedulers are asked only where a run is a job. */
const jobStatuses = (given: ReadingOptions, layout: HomeLayout): JobStatusReader => ({
  readStatuses: async (jobs) => {
    const [{ createSchedulers }, { createJobSchedulers }, { createHosts }] = await Promise.all([
      import('../engine/engine-registry'),
      import('../engine/job-schedulers'),
      import('../hosts/hosts'),
    ]);
    const env = withProxy(given.env, (await settingsOf(layout).read()).values);
    const hosts = createHosts({ layout, env, now: () => new Date() });
    return createJobSchedulers(createSchedulers({ layout, env, hosts })).readStatuses(jobs);
  },
});

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** Ends what crashed processes of this home left, as every command does: what would be loaded for it only where there is any. */
async function endLeft({ engines }: HomeLayout): Promise<void> {
  await endLeftChildren();
  if ((await namesIn(engines)).length > 0) {
    const { sweepLocalEngines } = await import('../engine/local/engine-record');
    await sweepLocalEngines(engines);
  }
  if ((await namesIn('/dev/shm')).some((name) => name.startsWith('triton-workbench-'))) {
    const { sweepSharedFiles } = await import('../perf/native/requests/shared-names');
    await sweepSharedFiles();
  }
}

/**
 * Loads neither engines nor load tools, takes no lease, and leaves containers of crashed processes to `createCore`. Throws
 * input-invalid for a home that is not a folder.
 */
export async function createReadingCore(options: ReadingOptions): Promise<ReadingCore> {
  const { home, resources, bundles } = options;
  const layout = homeLayout(home);
  await requireHomeFolder(home);
  const closed = await keepHomePrivate(layout);
  await endLeft(layout);
  const store = new RunStore(layout.runs, new RunKey(layout.runKey), jobStatuses(options, layout));
  const presetReading = async () => {
    const [{ readPrebuiltPresets }, { createPresetReading }] = await Promise.all([
      import('../presets/prebuilt-presets'),
      import('./preset-reading'),
    ]);
    const prebuilt = readPrebuiltPresets(bundles, resources);
    if (prebuilt !== null) return createPresetReading(() => prebuilt, resources);
    const { createPresets } = await import('../presets/presets');
    return createPresetReading(createPresets(resources), resources);
  };
  return {
    handlers: {
      ...runReading(store),
      'home.closed': () => Promise.resolve(closedHomeText(layout, closed)),
      'presets.differences': async (input) => (await presetReading())['presets.differences'](input),
      'presets.list': async () => (await presetReading())['presets.list'](undefined),
      'presets.published': async (input) => (await presetReading())['presets.published'](input),
      'runs.past': ({ runId }) => pastOf(store, runId),
      'settings.get': () => settingsOf(layout).read(),
      'studies.list': async () => {
        const [{ listStudies }, { StudyStore }] = await Promise.all([
          import('../studies/find-studies'),
          import('../studies/study-store'),
        ]);
        return listStudies({ store, studies: new StudyStore(layout.studies) });
      },
    },
  };
}
