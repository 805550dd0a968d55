import { join } from 'node:path';
import type { Handlers, WorkUnderWay } from '../contract/api';
import { WorkbenchError } from '../contract/errors';
import { isEmptyReach } from '../contract/reach';
import type { RunState } from '../contract/run/run-state';
import type { RetiredRun, StorageReport } from '../contract/settings/storage';
import { readApplicationLog } from '../home/application-log';
import { readDocuments } from '../home/documents';
import { readLicenses } from '../home/licenses';
import { createHomeMove } from '../home/move-home';
import { problemReport } from '../home/problem-report';
import { redactHere } from '../home/redact';
import { readStorage } from '../home/storage';
import { bytesBelow } from '../platform/files';
import { pipSecrets } from '../setup/index-secrets';
import { readPipConfigs } from '../setup/package-index';
import { pathReach } from '../store/approvals';
import { leaseHolder } from '../store/file-lease';
import type { CoreParts } from './core-parts';
import { deployedRuns, findRetired, type Upkeep } from './upkeep';

type HomeCall = Extract<keyof Handlers, `settings.${string}` | `home.${string}` | `support.${string}`>;

interface HomeNeeds {
  readonly upkeep: Pick<Upkeep, 'planClean' | 'clean'>;
  readonly machine: Handlers['machine.get'];
  readonly deployments: Handlers['deployments.list'];
  readonly dockerState: Handlers['docker.state'];
  readonly images: Handlers['docker.images'];
  readonly underWay: () => WorkUnderWay;
}

const reportLines = 200;

/** Throws while something in the home is in use. */
export async function requireIdle(
  { store, layout, monitor }: Pick<CoreParts, 'store' | 'layout' | 'monitor'>,
  { underWay, deployments }: Pick<HomeNeeds, 'underWay' | 'deployments'>,
): Promise<void> {
  const busy = (code: 'run-busy' | 'deployment-busy', message: string, remedy: string) =>
    new WorkbenchError(code, message, { where: layout.home, remedy });
  if (Object.values(underWay()).some((one: readonly unknown[]) => one.length > 0)) {
    throw busy('run-busy', 'Work is in progress', 'Wait for it to end, or cancel it, then move the home.');
  }
  const { recording } = await monitor.handlers['monitor.state'](undefined);
  if (recording !== null && recording.problem === null) {
    throw busy('run-busy', 'The monitor is recording', 'Stop the recording, then move the home.');
  }
  for (const { runId, dir } of (await store.list()).runs) {
    if ((await leaseHolder(dir)) !== null) {
      throw busy('run-busy', `A process works on ${runId}`, 'Wait for it to end, then move the home.');
    }
  }
  const serving = (await deployments(undefined)).find(({ state }) => state !== 'stopped');
  if (serving !== undefined) {
    throw busy(
      'deployment-busy',
      `The deployment ${serving.id} is not stopped`,
      'Stop it, then move the home.',
    );
  }
}

/** Throws input-invalid unless the user chose the folder: the page must not write anywhere. */
async function requireChosen({ approvals }: CoreParts, to: string): Promise<void> {
  if (isEmptyReach(await approvals.missing(pathReach('home', to)))) return;
  throw new WorkbenchError('input-invalid', 'The folder was not chosen in the dialog', {
    where: to,
    remedy: 'Choose it with Move… on the Settings page.',
  });
}

async function newestFailed({ store }: CoreParts): Promise<RunState | null> {
  const { runs } = await store.list();
  const [failed] = runs
    .filter(({ status }) => status === 'failed')
    .sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt));
  return failed === undefined ? null : (await store.load(failed.runId)).state;
}

async function retiredList(parts: CoreParts, days: number): Promise<readonly RetiredRun[]> {
  const found = await findRetired(parts, days);
  const list: RetiredRun[] = [];
  for (const { runId, preset, createdAt, dir } of found) {
    list.push({ runId, preset, createdAt, bytes: await bytesBelow(dir) });
  }
  return list;
}

async function imagesOf(images: HomeNeeds['images']): Promise<StorageReport['images']> {
  const list = await images(undefined).catch(() => null);
  if (list === null) return null;
  const own = list.filter(({ use }) => use !== null);
  return { count: own.length, bytes: own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
}

function createReport(parts: CoreParts, needs: HomeNeeds): Handlers['support.report'] {
  const { options, layout, settings, now } = parts;
  return async () => {
    const secrets = pipSecrets(await readPipConfigs(options.env, []));
    const redact = redactHere(layout.home, options.env, secrets);
    const { connection, host, error } = await needs.dockerState(undefined);
    const text = problemReport(
      {
        version: options.version,
        electron: options.electron,
        at: now().toISOString(),
        machine: await needs.machine(undefined).catch(() => null),
        docker: `${connection} (${host})${error === null ? '' : `: ${error.message}`}`,
        settings: await settings.read(),
        log: await readApplicationLog(layout.logs, reportLines),
        failed: await newestFailed(parts).catch(() => null),
      },
      redact,
    );
    return { text };
  };
}

/** Settings, storage, the home's folder, and problem reports. */
export function createHomeCalls(
  parts: CoreParts,
  needs: HomeNeeds,
): { readonly handlers: Pick<Handlers, HomeCall>; readonly close: () => Promise<void> } {
  const { settings, layout, options, emit, now } = parts;
  const move = createHomeMove({
    home: layout.home,
    env: options.env,
    now,
    requireIdle: () => requireIdle(parts, needs),
    onWork: (work) => emit({ type: 'home-move', work }),
  });
  const done = async (work: Promise<unknown>): Promise<null> => {
    await work;
    return null;
  };
  return {
    handlers: {
      'settings.get': () => settings.read(),
      'settings.set': ({ key, value }) => settings.set(key, value),
      'settings.reset': ({ key }) => settings.reset(key),
      'settings.setAside': async () => ({ path: await settings.setAside() }),
      'settings.retired': ({ days }) => retiredList(parts, days),
      'home.storage': async () => readStorage(layout, await imagesOf(needs.images)),
      'home.planClean': async () => {
        const deployed = await deployedRuns(layout);
        const { runs } = await parts.store.list();
        const idle = runs.filter(({ runId, status }) => status !== 'running' && !deployed.has(runId));
        const plan = await needs.upkeep.planClean({
          cache: true,
          trash: true,
          runIds: idle.map(({ runId }) => runId),
        });
        const bytes = new Map(plan.runs.map((run) => [run.runId, run.bytes]));
        const listed = idle.map(({ runId, name, createdAt }) => ({
          runId,
          name,
          createdAt,
          bytes: bytes.get(runId) ?? 0,
        }));
        return {
          cache: plan.cache ?? { bytes: 0, sharedBytes: 0 },
          trash: { runs: plan.trash?.runIds.length ?? 0, bytes: plan.trash?.bytes ?? 0 },
          runs: listed.sort((a, b) => b.bytes - a.bytes),
        };
      },
      'home.clean': async (request) => ({ freedBytes: (await needs.upkeep.clean(request)).freedBytes }),
      'home.planMove': ({ to }) => move.plan(to),
      'home.move': async ({ to }) => {
        await requireChosen(parts, to);
        return done(move.start(to));
      },
      'home.cancelMove': () => done(move.cancel()),
      'home.moveWork': () => Promise.resolve(move.work()),
      'support.report': createReport(parts, needs),
      'support.log': ({ limit }) => readApplicationLog(layout.logs, limit),
      'support.documents': () => readDocuments(join(options.resources, '..')),
      'support.licenses': async () => ({ software: await readLicenses(options.resources) }),
    },
    close: () => move.cancel(),
  };
}
