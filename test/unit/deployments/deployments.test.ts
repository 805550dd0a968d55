import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DeploymentBody, DeploymentInfo } from '../../../main/contract/deployment/deployment';
import { WorkbenchError } from '../../../main/contract/errors';
import { type DeployableRun, readConfig } from '../../../main/deployments/deployable-run';
import { DeploymentStore } from '../../../main/deployments/deployment-store';
import { Deployments } from '../../../main/deployments/deployments';
import type { DeploymentPaths, DeploymentServer, ServerStatus } from '../../../main/engine/engine';
import { formatConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import { rejection } from '../../support/rejection';
import { tinyConfig } from '../../support/tiny-model';

const model = tinyConfig.name;
const away = () => new WorkbenchError('host-unreachable', 'the line was cut');
const engine = {
  ...{ kind: 'docker' as const, host: 'rack', imageId: 'sha256:1', image: 'triton', builtHere: true },
  ...{ gpus: [], shmSizeMiB: 64, listen: '127.0.0.1' },
};

/** Loads whatever it is asked to, and refuses the values of every canary; has only `servedVersion` where one is named. */
const triton = (): Server =>
  createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const isInference = request.url?.endsWith('/infer') === true;
      const [, asked] = /versions\/(\d+)\/ready$/.exec(request.url ?? '') ?? [];
      const isMissing = servedVersion !== null && asked !== undefined && asked !== servedVersion;
      response.writeHead(isInference || isMissing ? 400 : 200, { 'Content-Type': 'application/json' });
      if (request.url?.endsWith('/index') === true) {
        response.end(JSON.stringify([{ name: model, version: servedVersion, state: 'READY' }]));
        return;
      }
      response.end(JSON.stringify(isInference ? { error: 'zeros' } : { name: 'triton', version: '2' }));
    });
  });

let root: string;
let listening: Server;
let address: string;
let store: DeploymentStore;
/** Whether the host is away when these files are to be sent. */
let isAway: (place: DeploymentPaths) => Promise<boolean>;
let removal: () => Promise<void>;
/** What lies in the repository when Triton starts, which loads all of it. */
let atStart: readonly string[];
/** Deployments whose recovery was started. */
let recoveries: string[];
/** null: all that it is asked for. */
let servedVersion: string | null;
let status: ServerStatus;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-deploy-'));
  await mkdir(join(root, 'run'));
  await writeFile(join(root, 'run', 'model.onnx'), 'weights');
  listening = triton();
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  const place = listening.address();
  address = `127.0.0.1:${typeof place === 'object' && place !== null ? place.port : 0}`;
  store = new DeploymentStore(join(root, 'deployments'));
  isAway = () => Promise.resolve(false);
  removal = () => Promise.resolve();
  atStart = [];
  recoveries = [];
  servedVersion = null;
  status = { kind: 'running', since: null };
});
afterEach(async () => {
  listening.closeAllConnections();
  listening.close();
  await rm(root, { recursive: true, force: true });
});

/** Of "run-1", or of another model. */
const run = (runId: string): DeployableRun => ({
  about: { runId, format: 'onnx', precision: 'fp32' },
  config: runId === 'run-1' ? tinyConfig : { ...tinyConfig, name: 'other' },
  ...{ version: 1, engine, files: join(root, 'run'), samples: join(root, 'none') },
  check: { canary: null, anyValues: true, atol: {}, rtol: {}, maxMismatch: {} },
  ...{ sizes: [], steady: [] },
  keepConfig: async (path, config) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, formatConfigPbtxt(config));
  },
});

function deployments(): Deployments {
  const server: DeploymentServer = {
    reach: () => Promise.resolve(address),
    busyPorts: () => Promise.resolve(new Set<number>()),
    sync: async (_deployment, place) => {
      if (await isAway(place)) throw away();
    },
    start: async (_deployment, { repository }) => {
      atStart = (await readdir(repository)).sort();
    },
    stop: () => Promise.resolve(),
    remove: () => removal(),
    readStatus: () => Promise.resolve(status),
    readProcesses: () => Promise.resolve([]),
    traces: () => ({ list: () => Promise.resolve([]), take: () => Promise.resolve() }),
    log: () => Promise.resolve([]),
  };
  return new Deployments({
    store,
    servers: { local: server, docker: server },
    runOf: (runId) => Promise.resolve(run(runId)),
    onChange: () => undefined,
    startRecovery: (id) => recoveries.push(id),
    now: () => new Date(),
  });
}

const deploy = (to?: string): Promise<DeploymentInfo> =>
  deployments().deploy({ runId: 'run-1', ...(to === undefined ? { name: 'a' } : { to }) });
const folder = async () => (await store.load('a')).folder;
const active = async () => (await store.load('a')).deployment.models[model]?.active.version;
const versions = async () =>
  (await readdir(join((await folder()).repository, model))).filter((name) => name !== 'config.pbtxt').sort();
const served = async (place: DeploymentPaths): Promise<unknown> =>
  (await readConfig(join(place.repository, model, 'config.pbtxt'))).versionPolicy;
const only = (version: number) => ({ specific: { versions: [version] } });
const journaled = async (place: DeploymentPaths, text: string): Promise<boolean> =>
  (await readFile(join(place.dir, 'journal.jsonl'), 'utf8')).includes(text);

describe('a new version whose host goes away', () => {
  it('is served where the journal says so, with its files, and the oldest goes', async () => {
    await deploy();
    await deploy('a');
    expect(await versions()).toEqual(['1', '2']);
    isAway = (place) => journaled(place, '"version":3,"checkedSamples"');
    expect((await deploy('a')).models).toMatchObject([{ version: 3, previous: { version: 2 } }]);
    expect(await versions()).toEqual(['2', '3']);
    isAway = () => Promise.resolve(false);
    expect((await deployments().restart('a')).models).toMatchObject([{ version: 3, state: 'ready' }]);
  });

  it('leaves the version before as it was where it did not get there', async () => {
    await deploy();
    isAway = async (place) => JSON.stringify(await served(place)).includes('2');
    expect((await rejection(deploy('a'))).code).toBe('host-unreachable');
    expect(await served(await folder())).toEqual(only(1));
    expect([await active(), await versions()]).toEqual([1, ['1']]);
  });

  it('is returned from all the same where that was journaled', async () => {
    await deploy();
    await deploy('a');
    isAway = (place) => journaled(place, '"rolled-back"');
    expect((await deployments().rollback('a')).models).toMatchObject([{ version: 1, previous: null }]);
    expect([await active(), await versions()]).toEqual([1, ['1']]);
  });
});

describe('a first version that comes to nothing', () => {
  beforeEach(() => {
    isAway = () => Promise.resolve(true);
  });

  it('leaves nothing where its engine removed it', async () => {
    expect((await rejection(deploy())).code).toBe('host-unreachable');
    expect(await store.ids()).toEqual([]);
  });

  it('stays listed while its engine may keep some of it, and is removed once that answers', async () => {
    removal = () => Promise.reject(away());
    expect(await rejection(deploy())).toMatchObject({
      code: 'host-unreachable',
      remedy: expect.stringContaining('"deployments remove a"') as string,
    });
    expect(await deployments().show('a')).toMatchObject({
      ...{ state: 'degraded', reason: 'No version has passed its checks', models: [] },
    });
    expect(await journaled(await folder(), '"what":"deploy"')).toBe(true);
    expect((await rejection(deployments().remove('a', false))).code).toBe('host-unreachable');
    expect(await store.ids()).toEqual(['a']);
    removal = () => Promise.resolve();
    await deployments().remove('a', false);
    expect(await store.ids()).toEqual([]);
  });
});

describe('a model that is added', () => {
  const add = () => deployments().deploy({ runId: 'run-2', to: 'a' });

  it('is served beside the one that is there', async () => {
    await deploy();
    expect((await add()).models.map(({ name }) => name)).toEqual([model, 'other']);
    await deployments().restart('a');
    expect(atStart).toEqual(['other', model].sort());
  });

  it('is not there at the next start where its command was killed: Triton starts with no half of a model', async () => {
    await deploy();
    const { repository, kept } = await folder();
    for (const dir of [join(repository, 'other', '1'), kept('other', 1)]) {
      await mkdir(dir, { recursive: true });
      await writeFile(join(dir, 'model.onnx'), 'half of it');
    }
    await deployments().restart('a');
    expect(atStart).toEqual([model]);
    expect(await readdir(dirname(dirname(kept('other', 1))))).toEqual([model]);
    expect((await add()).models.map(({ name }) => name)).toEqual([model, 'other']);
  });
});

describe('a change under which the workbench closes', () => {
  it('leaves nothing of a new deployment that does not answer yet', async () => {
    listening.close();
    listening.closeAllConnections();
    const removed: string[] = [];
    removal = () => {
      removed.push('container');
      return Promise.resolve();
    };
    const all = deployments();
    const deploying = rejection(all.deploy({ runId: 'run-1', name: 'a' }));
    await vi.waitFor(() => {
      expect(atStart).toEqual([model]);
    });
    expect(all.underWay()).toEqual(['a']);
    await all.close();
    // No log of Triton: nothing is wrong with it.
    expect(await deploying).toMatchObject({ code: 'cancelled', details: undefined });
    expect([removed, await store.ids(), all.underWay()]).toEqual([['container'], [], []]);
  });

  it('leaves what serves as it was, without the version that was tried', async () => {
    const all = deployments();
    await all.deploy({ runId: 'run-1', name: 'a' });
    const closing: Promise<void>[] = [];
    isAway = () => {
      if (closing.length === 0) closing.push(all.close());
      return Promise.resolve(false);
    };
    expect((await rejection(all.deploy({ runId: 'run-1', to: 'a' }))).code).toBe('cancelled');
    await Promise.all(closing);
    expect([await active(), await versions()]).toEqual([1, ['1']]);
    expect(await readdir((await folder()).repository)).toEqual([model]);
  });

  it('leaves a start to itself', async () => {
    await deploy();
    listening.close();
    listening.closeAllConnections();
    atStart = [];
    const all = deployments();
    const starting = rejection(all.start('a'));
    await vi.waitFor(() => {
      expect(atStart).toEqual([model]);
    });
    await all.close();
    expect((await starting).code).toBe('cancelled');
    expect(await journaled(await folder(), '"failed"')).toBe(false);
    expect((await store.load('a')).deployment.wanted).toBe(true);
  });
});

describe('a deployment that is to be updated and is not there', () => {
  it.each([
    ['b', 'Leave out --to, or use --name b, to make a new deployment.'],
    ['../b', 'Leave out --to to make a new deployment.'],
  ])('says how a new one is made: %s', async (to, remedy) => {
    expect(await rejection(deploy(to))).toMatchObject({
      ...{ code: 'deployment-unknown', message: `Unknown deployment "${to}"` },
      remedy: expect.stringContaining(remedy) as string,
    });
    expect(await readdir(root)).toEqual(['run']);
  });
});

describe('a change whose process was killed', () => {
  const killed = 4_194_305;
  const about = (version: number) => ({
    ...{ runId: 'run-1', format: 'onnx' as const, precision: 'fp32' as const, model, version },
  });
  const begin = async (...bodies: readonly DeploymentBody[]) => {
    await store.append(await folder(), ...bodies);
    atStart = [];
  };
  const update = { type: 'change-begun', what: 'update', to: about(2), from: 1, pid: killed } as const;
  const restart = { type: 'change-begun', what: 'restart', pid: killed } as const;
  /** As an update leaves them that is killed while it is tried out. */
  const leaveCandidate = async () => {
    const { repository, kept } = await folder();
    for (const dir of [
      join(repository, model, '2'),
      join(repository, `${model}--candidate`, '2'),
      kept(model, 2),
    ]) {
      await mkdir(dir, { recursive: true });
      await writeFile(join(dir, 'model.onnx'), 'half of it');
    }
  };
  const interrupted = async () => (await deployments().show('a')).interrupted;

  it('is reported by a look, which changes nothing and starts one recovery', async () => {
    await deploy();
    await begin(restart, { type: 'stopped' });
    status = { kind: 'stopped', reason: 'by the restart' };
    const before = await readFile((await folder()).journal, 'utf8');
    const all = deployments();
    for (const info of [(await all.list())[0], await all.show('a')]) {
      expect(info).toMatchObject({
        state: 'starting',
        interrupted: `The restart was interrupted: process ${killed} has ended. It is being completed.`,
      });
    }
    expect(recoveries).toEqual(['a']);
    expect(await readFile((await folder()).journal, 'utf8')).toBe(before);
  });

  it('is left to a process that still makes it', async () => {
    await deploy();
    await store.hold('a', async () => {
      await begin({ ...restart, pid: process.pid });
      expect(await interrupted()).toBeNull();
    });
    expect(recoveries).toEqual([]);
  });

  it('is undone where the new version does not answer, and the next change does that first', async () => {
    await deploy();
    servedVersion = '1';
    await begin(update);
    await leaveCandidate();
    await deployments().recover('a');
    expect([await active(), await versions()]).toEqual([1, ['1']]);
    expect(await readdir((await folder()).repository)).toEqual([model]);
    expect(await interrupted()).toBe('The update to version 2 was interrupted and then undone.');
    await begin(update);
    await leaveCandidate();
    servedVersion = null;
    status = { kind: 'stopped', reason: 'by hand' };
    await expect(deployments().rollback('a')).rejects.toMatchObject({ code: 'input-invalid' });
    expect([await active(), await versions()]).toEqual([1, ['1']]);
  });

  it('is completed where the new version answers, which is the one that is shown before that', async () => {
    await deploy();
    await deploy('a');
    await begin({ type: 'change-begun', what: 'rollback', to: about(1), from: 2, pid: killed });
    servedVersion = '1';
    expect(await deployments().show('a')).toMatchObject({ state: 'ready', models: [{ version: 1 }] });
    await deployments().recover('a');
    expect([await active(), await versions()]).toEqual([1, ['1']]);
    expect(await interrupted()).toBe('The rollback to version 1 was interrupted and then completed.');
    // Nobody changes it now: what is served must be what the journal says.
    servedVersion = '2';
    expect(await deployments().show('a')).toMatchObject({ state: 'degraded' });
  });

  it('is completed where it was to start Triton', async () => {
    await deploy();
    await begin(restart, { type: 'stopped' });
    await deployments().recover('a');
    expect(atStart).toEqual([model]);
    expect((await store.load('a')).deployment.wanted).toBe(true);
    expect(await interrupted()).toBe('The restart was interrupted and then completed.');
    await deployments().stop('a');
    expect(await interrupted()).toBeNull();
  });

  it('leaves a new deployment that answers, and nothing of any other or of one that was being removed', async () => {
    await deploy();
    const lines = (await readFile((await folder()).journal, 'utf8')).split('\n');
    // Created and begun.
    const started = lines.slice(0, 2).join('\n');
    await writeFile((await folder()).journal, `${started}\n`);
    expect(await deployments().show('a')).toMatchObject({ state: 'starting', models: [] });
    await deployments().recover('a');
    expect(await active()).toBe(1);

    await writeFile((await folder()).journal, `${started}\n`);
    status = { kind: 'stopped', reason: 'it was not started' };
    await deployments().recover('a');
    expect(await readdir(join(root, 'deployments'))).toEqual([]);

    status = { kind: 'running', since: null };
    await deploy();
    await begin({ type: 'change-begun', what: 'remove', pid: killed });
    await deployments().recover('a');
    expect(await readdir(join(root, 'deployments'))).toEqual([]);

    await mkdir(join(root, 'deployments', 'a.removed', 'models'), { recursive: true });
    recoveries = [];
    expect(await deployments().list()).toEqual([]);
    expect(recoveries).toEqual(['a']);
    await deployments().recover('a');
    expect(await readdir(join(root, 'deployments'))).toEqual([]);
  });
});
