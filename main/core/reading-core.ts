import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type HomeLayout, homeLayout } from '../platform/layout';
import { endLeftChildren } from '../platform/left-children';
import { closedHomeText, keepHomePrivate, requireHomeFolder } from '../platform/private-home';
import type { Presets } from '../presets/presets';
import type { JobStatusReader } from '../store/current-status';
import type { Core } from './core-interface';
import type { CoreOptions } from './core-parts';
import type { RunReading } from './reading/run-reading';
import type { SpecReading } from './reading/spec-reading';

type ReadingCall =
  | 'home.closed'
  | 'presets.differences'
  | 'presets.list'
  | 'presets.published'
  | 'runs.all'
  | 'runs.ids'
  | 'runs.past'
  | 'runs.show'
  | 'settings.get'
  | 'studies.list';

/** What verbs that only read ask for. The whole core answers it, too. */
export interface ReadingCore {
  readonly handlers: Pick<Core['handlers'], ReadingCall> & SpecReading;
}

export type ReadingOptions = Pick<CoreOptions, 'home' | 'resources' | 'env'> & {
  /** Folder of the program's own files. */
  readonly bundles: string;
};

async function settingsOf({ settings }: HomeLayout) {
  const { createSettingsStore } = await import('../home/settings-store');
  return createSettingsStore({ file: settings, now: () => new Date(), onChange: () => undefined }).read();
}

async function presetsOf({ bundles, resources }: ReadingOptions): Promise<Presets> {
  const { readPrebuiltPresets } = await import('../presets/prebuilt-presets');
  const prebuilt = readPrebuiltPresets(bundles, resources);
  if (prebuilt !== null) return () => prebuilt;
  const { createPresets } = await import('../presets/presets');
  return createPresets(resources);
}

/** Schedulers are asked only where a run is a job. */
const jobStatuses = (given: ReadingOptions, layout: HomeLayout): JobStatusReader => ({
  readStatuses: async (jobs) => {
    const [{ createSchedulers }, { createJobSchedulers }, { createHosts }, { withProxy }] = await Promise.all(
      [
        import('../engine/engine-registry'),
        import('../engine/job-schedulers'),
        import('../hosts/hosts'),
        import('../home/settings-store'),
      ],
    );
    const env = withProxy(given.env, (await settingsOf(layout)).values);
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
 * Loads neither engines nor load tools, and what reads runs, settings or presets only for a verb that asks; takes no
 * lease, and leaves containers of crashed processes to `createCore`. Throws input-invalid for a home that is not a folder.
 */
export async function createReadingCore(options: ReadingOptions): Promise<ReadingCore> {
  const { home, resources, bundles } = options;
  const layout = homeLayout(home);
  await requireHomeFolder(home);
  const closed = await keepHomePrivate(layout);
  await endLeft(layout);
  const opened: { runs: Promise<RunReading> | null; presets: Promise<Presets> | null } = {
    runs: null,
    presets: null,
  };
  const runs = () => {
    opened.runs ??= import('./reading/run-reading').then(({ createRunReading }) =>
      createRunReading(layout, jobStatuses(options, layout)),
    );
    return opened.runs;
  };
  const presetsAtHand = () => {
    opened.presets ??= presetsOf(options);
    return opened.presets;
  };
  const presetReading = async () => {
    const { createPresetReading } = await import('./reading/preset-reading');
    return createPresetReading(await presetsAtHand(), resources);
  };
  const specReading = async () => {
    const { specReading: reading } = await import('./reading/spec-reading');
    const readerFile = join(bundles, 'reader-process.cjs');
    return reading({ presets: await presetsAtHand(), layout, resources, readerFile });
  };
  return {
    handlers: {
      'home.closed': () => Promise.resolve(closedHomeText(layout, closed)),
      'presets.differences': async (input) => (await presetReading())['presets.differences'](input),
      'presets.list': async () => (await presetReading())['presets.list'](undefined),
      'presets.published': async (input) => (await presetReading())['presets.published'](input),
      'runs.all': async () => (await runs())['runs.all'](undefined),
      'runs.ids': async () => (await runs())['runs.ids'](undefined),
      'runs.past': async (input) => (await runs())['runs.past'](input),
      'runs.show': async (input) => (await runs())['runs.show'](input),
      'settings.get': () => settingsOf(layout),
      'spec.check': async (choice) => (await specReading())['spec.check'](choice),
      'spec.export': async (asked) => (await specReading())['spec.export'](asked),
      'studies.list': async () => (await runs())['studies.list'](undefined),
    },
  };
}
