import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { invalidInput } from '../contract/errors';
import {
  componentFacts,
  type ComponentId,
  componentIds,
  type ComponentStatus,
  inOrderOfNeed,
  type OnDemandId,
  withDependents,
} from '../contract/setup';
import { moreText } from '../contract/words';
import { bytesBelow, exists, isThere, makeFolder } from '../platform/files';
import type { HomeLayout } from '../platform/layout';
import { takeFileLease } from '../store/file-lease';
import { pythonMissing } from '../toolkit/local-python';
import type { EnsurePython } from '../toolkit/toolkit';
import type { Component, SetupContext } from './component';
import { type SetupListener, throwIfCancelled } from './installer';
import { hostPythons, libraryPackage } from './interpreter';
import { perfAnalyzerComponent } from './perf-analyzer';
import { pythonComponent, tensorflowComponent, transformersComponent, treesComponent } from './python';
import { readFacts, readStamp, replaceFolder, writeFacts, writeStamp } from './stamps';
import { tritonComponent } from './triton';
import { canHaveUv, openUv, type Uv, uvFolder } from './uv';

const components: Readonly<Record<ComponentId, Component>> = {
  python: pythonComponent,
  triton: tritonComponent,
  'perf-analyzer': perfAnalyzerComponent,
  tensorflow: tensorflowComponent,
  transformers: transformersComponent,
  trees: treesComponent,
};

const leasePollMs = 500;

type SetupOptions = Pick<SetupContext, 'layout' | 'resources' | 'env'>;

/** Also tells the current component. */
export interface WorkListener extends SetupListener {
  readonly onComponent: (id: ComponentId) => void;
}

export interface Setup {
  status(id: ComponentId): Promise<ComponentStatus>;
  list(): Promise<readonly ComponentStatus[]>;
  /** Missing Debian packages without which no environment can be created. */
  systemPackages(): Promise<readonly string[]>;
  /** In order of installation. */
  plan(ids: readonly ComponentId[], how: { readonly repair: boolean }): Promise<readonly ComponentId[]>;
  /**
   * Installs components with dependencies, exclusively across processes; folders are replaced atomically. Throws
   * cancelled, disk-full, file-unwritable, toolchain-missing, and input-invalid if a replaced one is in use.
   */
  install(
    ids: readonly ComponentId[],
    how: { readonly repair: boolean },
    listener: WorkListener,
  ): Promise<void>;
  /** Removes components with dependents. Throws as `install`. */
  remove(ids: readonly ComponentId[], listener: WorkListener): Promise<void>;
}

/** Whether the set-up has packages for this system. */
export const supportsSetup = (platform: string, arch: string): boolean =>
  platform === 'linux' && ['x64', 'arm64'].includes(arch);

async function statusOf(component: Component, options: SetupOptions): Promise<ComponentStatus> {
  const { id } = component;
  const folder = component.folder(options.layout);
  if (!(await isThere(folder))) return { id, state: 'missing', version: null, bytes: null };
  const [stamp, wanted, facts, files] = await Promise.all([
    readStamp(folder),
    component.stamp(options),
    readFacts(folder),
    Promise.all(component.files(options.layout).map(exists)),
  ]);
  const version = facts?.version ?? (await component.version(folder));
  const works = stamp !== null && wanted !== null && !files.includes(false);
  const state = !works ? 'broken' : stamp === wanted ? 'ready' : 'outdated';
  const status = { id, state, version, bytes: facts?.bytes ?? null } as const;
  return state === 'outdated' ? { ...status, outdated: await whyOutdated(component, options) } : status;
}

const mostDifferences = 3;

/** One sentence. */
async function whyOutdated(component: Component, options: SetupOptions): Promise<string> {
  const differences = await component.differences(options);
  if (differences.length > 0) {
    const more = moreText(Math.max(0, differences.length - mostDifferences), 'package');
    const shown = [...differences.slice(0, mostDifferences), ...(more === null ? [] : [more])];
    return `Installed: ${shown.join(', ')}.`;
  }
  const [base] = componentFacts[component.id].needs;
  return base === undefined
    ? 'Its packages are those that this version uses, but it was installed in another folder or from another list.'
    : `It was built from an earlier version of the ${componentFacts[base].title}.`;
}

/** Processes whose program is in the folder; empty without /proc. */
async function processesIn(folder: string) {
  const names = await readdir('/proc').catch(() => []);
  const isInside = (path: string) => path.startsWith(`${folder}${sep}`);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const at = join('/proc', name);
        const [program = ''] = (await readFile(join(at, 'cmdline'), 'utf8').catch(() => '')).split('\0');
        const binary = await readlink(join(at, 'exe')).catch(() => '');
        if (!isInside(program) && !isInside(binary)) return null;
        const title = await readFile(join(at, 'comm'), 'utf8').catch(() => '');
        return { pid: Number(name), name: title.trim() };
      }),
  );
  return found.filter((user) => user !== null);
}

/** Throws input-invalid while a process runs from the folder. */
async function refuseInUse(component: Component, { layout }: SetupOptions): Promise<void> {
  const folder = component.folder(layout);
  const [user] = await processesIn(folder);
  if (user === undefined) return;
  throw invalidInput(
    folder,
    `${componentFacts[component.id].title} is in use by process ${user.pid} (${user.name})`,
    'Wait for the run to end or stop the deployment, then try again.',
  );
}

/** Waits for other set-ups. Throws cancelled. */
async function takeTurn(home: string, listener: SetupListener): Promise<() => Promise<void>> {
  for (let isReported = false; ; isReported = true) {
    const { release } = await takeFileLease(join(home, 'setup.lease'), 'the set-up of the tools');
    if (release !== undefined) return release;
    if (!isReported) listener.onProgress(null, 'Waiting for another installation to finish');
    await sleep(leasePollMs);
    throwIfCancelled(listener, 'the tools');
  }
}

async function makeOne(component: Component, context: SetupContext, listener: WorkListener): Promise<void> {
  const { layout } = context;
  const { title } = componentFacts[component.id];
  throwIfCancelled(listener, title);
  listener.onComponent(component.id);
  const folder = component.folder(layout);
  const fresh = `${folder}.new`;
  await rm(fresh, { recursive: true, force: true });
  try {
    await makeFolder(fresh);
    await component.make(fresh, context, listener);
    throwIfCancelled(listener, title);
    const [version, bytes] = [await component.version(fresh), await bytesBelow(fresh)];
    await writeFacts(fresh, { version, bytes });
    await refuseInUse(component, context);
    // Links into another home are replaced.
    await rm(folder, { recursive: true, force: true });
    const stamp = await component.stamp(context);
    if (stamp !== null) await writeStamp(fresh, stamp);
    await replaceFolder(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Renames first, so that no partial folder remains. */
async function removeFolder(folder: string): Promise<void> {
  if (!(await isThere(folder))) return;
  const gone = join(folder, '..', `${basename(folder)}.removed`);
  await rm(gone, { recursive: true, force: true });
  await replaceFolder(folder, gone);
  await rm(gone, { recursive: true, force: true });
}

export function createSetup(options: SetupOptions): Setup {
  const { layout, env } = options;
  const status: Setup['status'] = (id) => statusOf(components[id], options);
  const list: Setup['list'] = () => Promise.all(componentIds.map(status));
  const plan: Setup['plan'] = async (ids, { repair }) => {
    const seen = new Map((await list()).map((one) => [one.id, one]));
    // A dependency may be outdated: an active run may be using it while it installs TensorFlow.
    const isReady = (id: ComponentId) => {
      const state = seen.get(id)?.state;
      if (!ids.includes(id)) return state === 'ready' || state === 'outdated';
      return state === 'ready' && !repair;
    };
    const due = inOrderOfNeed(ids, isReady);
    // Installed dependents are rebuilt too.
    const follow = withDependents(due).filter((id) => seen.get(id)?.state !== 'missing');
    return componentIds.filter((id) => due.includes(id) || follow.includes(id));
  };
  const forget = (): Promise<void> => rm(join(uvFolder(layout), 'cache'), { recursive: true, force: true });
  const takingTurns = async (listener: SetupListener, work: () => Promise<void>): Promise<void> => {
    await makeFolder(layout.home);
    const release = await takeTurn(layout.home, listener);
    try {
      await work();
    } finally {
      await release();
    }
  };
  return {
    status,
    list,
    plan,
    systemPackages: async () => {
      const pythons = await hostPythons(env);
      const library = libraryPackage(pythons);
      const pip = (await canHaveUv(options, pythons)) ? [] : ['python3-pip'];
      return library === null ? pip : [library, ...pip];
    },
    install: (ids, how, listener) =>
      takingTurns(listener, async () => {
        // Planned again, because the other set-up may have done it.
        const due = await plan(ids, how);
        if (due.length === 0) return;
        for (const id of due) await refuseInUse(components[id], options);
        // Cached files are hard links to the broken environment.
        if (how.repair) await forget();
        const logs = join(layout.home, 'setup-logs');
        await makeFolder(logs);
        const log = join(logs, 'setup.log');
        await rm(log, { force: true });
        let uv: Promise<Uv> | null = null;
        const context: SetupContext = {
          ...options,
          log,
          uv: () => (uv ??= openUv({ ...options, log }, listener)),
        };
        for (const id of due) await makeOne(components[id], context, listener);
      }),
    remove: (ids, listener) =>
      takingTurns(listener, async () => {
        const due = withDependents(ids);
        for (const id of due) await refuseInUse(components[id], options);
        for (const id of due) {
          throwIfCancelled(listener, componentFacts[id].title);
          listener.onComponent(id);
          listener.onProgress(null, 'Removing');
          await removeFolder(components[id].folder(layout));
        }
        // The environments keep the files; the cache would hide their size.
        await forget();
      }),
  };
}

/**
 * Python of a component that only some models need, installed by the first run that needs it, and reinstalled after an
 * interruption or a version change. The function throws toolchain-missing (no Python, no network), disk-full, cancelled.
 */
export function createPythonOnDemand(
  setup: Pick<Setup, 'status' | 'install'>,
  layout: Pick<HomeLayout, OnDemandId | 'python'>,
  id: OnDemandId,
): EnsurePython {
  return async (listener) => {
    if ((await setup.status(id)).state === 'ready') return layout[id];
    // Runs install only this one; the rest was checked before.
    if (['missing', 'broken'].includes((await setup.status('python')).state)) {
      throw pythonMissing(layout.python);
    }
    await setup.install(
      [id],
      { repair: false },
      {
        ...listener,
        onComponent: () => undefined,
        onProgress: (fraction, text) => listener.onProgress(fraction, `${componentFacts[id].title}: ${text}`),
      },
    );
    return layout[id];
  };
}
