import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deployment, DeploymentInfo } from '../../../main/contract/deployment/deployment';
import { WorkbenchError } from '../../../main/contract/errors';
import type { DeployableRun } from '../../../main/deployments/deployable-run';
import { DeploymentStore } from '../../../main/deployments/deployment-store';
import { Deployments } from '../../../main/deployments/deployments';
import type { DeploymentPaths, DeploymentServer } from '../../../main/engine/engine';
import { formatConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import { modelConfigSchema } from '../../../main/triton/model-config';
import { rejection } from '../../support/rejection';

const engine = { kind: 'local', framework: 'pyt', asIs: true } as const;
const config = modelConfigSchema.parse({
  ...{ name: 'whole', platform: 'ensemble', maxBatchSize: 4 },
  input: [{ name: 'x', dataType: 'TYPE_FP32', dims: [3] }],
  output: [{ name: 'y', dataType: 'TYPE_FP32', dims: [3] }],
});

let root: string;
let triton: Server;
let address: string;
/** Calls that change what is loaded. */
let calls: string[];
/** Names whose load fails. */
let broken: Set<string>;
/** What lies in the repository of each server that was started, by the id of its deployment. */
let started: {
  readonly id: string;
  readonly ports: Deployment['ports'];
  readonly files: readonly string[];
}[];
/** Servers that were removed, by id. */
let removed: { readonly id: string; readonly http: number }[];
/** The Triton that a version is tried on does not start. */
let apartFails: boolean;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-deploy-repository-'));
  [calls, broken, started, removed, apartFails] = [[], new Set(), [], [], false];
  triton = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const url = request.url ?? '';
      const [, name = '', verb = ''] = /repository\/models\/([^/]+)\/(load|unload)$/.exec(url) ?? [];
      if (verb !== '') calls.push(`${verb} ${name}`);
      const isRefused = url.endsWith('/infer') || (verb === 'load' && broken.has(name));
      response.writeHead(isRefused ? 400 : 200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(isRefused ? { error: 'zeros' } : { name: 'triton', version: '2' }));
    });
  });
  await new Promise<void>((resolve) => triton.listen(0, '127.0.0.1', resolve));
  const place = triton.address();
  address = `127.0.0.1:${typeof place === 'object' && place !== null ? place.port : 0}`;
});
afterEach(async () => {
  triton.closeAllConnections();
  triton.close();
  await rm(root, { recursive: true, force: true });
});

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .map((entry) => `${join(entry.parentPath, entry.name)}${entry.isDirectory() ? '/' : ''}`)
    .map((path) => path.slice(folder.length + 1))
    .sort();
}

const server = (): DeploymentServer => ({
  reach: () => Promise.resolve(address),
  busyPorts: () => Promise.resolve(new Set<number>()),
  sync: () => Promise.resolve(),
  start: async ({ id, ports }, { repository }: DeploymentPaths, { note }) => {
    await note({ type: 'server-process', id: id.endsWith('.check') ? 'c'.repeat(32) : 'd'.repeat(32) });
    if (id.endsWith('.check') && apartFails) throw new WorkbenchError('server-start-failed', 'It ended');
    started.push({ id, ports, files: await filesIn(repository) });
  },
  stop: () => Promise.resolve(),
  remove: ({ id, ports }) => {
    removed.push({ id, http: ports.http });
    return Promise.resolve();
  },
  readStatus: () => Promise.resolve({ kind: 'running', since: null }),
  readProcesses: () => Promise.resolve([]),
  traces: () => ({ list: () => Promise.resolve([]), take: () => Promise.resolve() }),
  log: () => Promise.resolve(['E1128 the reason']),
});

/** A run of an ensemble with one model, whose code says which run it is of. */
async function runOf(
  runId: string,
  parts: Readonly<Record<string, string>> = { part: runId },
): Promise<DeployableRun> {
  const folder = join(root, runId);
  const files = {
    'whole/config.pbtxt': `platform: "ensemble"  # of ${runId}\n`,
    ...Object.fromEntries(Object.entries(parts).map(([name, code]) => [`${name}/1/model.py`, code])),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await mkdir(join(folder, 'whole', '1'), { recursive: true });
  const repository = { version: 1, models: ['whole', ...Object.keys(parts)], with: [] };
  return {
    about: { runId, format: 'repository', precision: 'as-is', accuracy: 'not checked', repository },
    ...{ config, version: 1, engine, files: join(folder, 'whole', '1'), samples: join(root, 'none') },
    check: { canary: null, anyValues: true, anyAnswers: true, atol: {}, rtol: {}, maxMismatch: {} },
    ...{ sizes: [1], steady: [] },
    keepConfig: async (path, kept) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, formatConfigPbtxt(kept));
    },
    repository: { folder },
  };
}

const store = () => new DeploymentStore(join(root, 'deployments'));
function deployments(runs: readonly DeployableRun[]): Deployments {
  return new Deployments({
    store: store(),
    servers: { local: server(), docker: server() },
    runOf: (runId) => {
      const run = runs.find(({ about }) => about.runId === runId);
      return run === undefined ? Promise.reject(new Error(`no run ${runId}`)) : Promise.resolve(run);
    },
    onChange: () => undefined,
    startRecovery: () => undefined,
    now: () => new Date(),
  });
}

const deploy = async (run: DeployableRun, to?: string): Promise<DeploymentInfo> =>
  deployments([run]).deploy({
    runId: run.about.runId,
    ...(to === undefined ? { name: 'a' } : { to }),
  });
const folder = async () => (await store().load('a')).folder;
const textAt = async (path: string) => readFile(join((await folder()).repository, path), 'utf8');

const whole = ['part/', 'part/1/', 'part/1/model.py', 'whole/', 'whole/1/', 'whole/config.pbtxt'];

describe('a repository that is served as it is', () => {
  it('is deployed byte for byte, with all of its models under their own names', async () => {
    const run = await runOf('one');
    const { models, state } = await deploy(run);
    expect(state).toBe('ready');
    expect(models).toMatchObject([
      {
        name: 'whole',
        version: 1,
        accuracy: 'not checked',
        repository: { version: 1, models: ['whole', 'part'] },
      },
    ]);
    expect(started.map(({ id, files }) => [id, files])).toEqual([['a', whole]]);
    expect(await textAt('whole/config.pbtxt')).toBe('platform: "ensemble"  # of one\n');
    // What happens to the run later is not to be served.
    await writeFile(join(root, 'one', 'part', '1', 'model.py'), 'changed');
    expect(await textAt('part/1/model.py')).toBe('one');
  });

  it('tries a new version on a Triton of its own, switches to it, and returns to the one before', async () => {
    await deploy(await runOf('one'));
    const { models } = await deploy(await runOf('two'), 'a');
    expect(models).toMatchObject([{ version: 2, repository: { version: 1 }, previous: { version: 1 } }]);
    const [own, apart] = started;
    expect([apart?.id, apart?.files]).toEqual(['a.check', whole]);
    expect(apart?.ports.http).not.toBe(own?.ports.http);
    expect(removed).toEqual([{ id: 'a.check', http: apart?.ports.http }]);
    expect(calls).toEqual(['load whole']);
    expect(await textAt('part/1/model.py')).toBe('two');
    expect(await readdir((await folder()).dir)).not.toContain('check');

    const back = await deployments([]).rollback('a');
    expect(back.models).toMatchObject([{ version: 1, previous: null, runId: 'one' }]);
    expect(await textAt('part/1/model.py')).toBe('one');
    expect(await textAt('whole/config.pbtxt')).toBe('platform: "ensemble"  # of one\n');
    expect(await filesIn((await folder()).repository)).toEqual(whole);
  });

  it('loses the models that only the version before was made of', async () => {
    await deploy(await runOf('one', { part: 'p', old: 'o' }));
    calls = [];
    await deploy(await runOf('two', { part: 'p' }), 'a');
    expect(calls).toEqual(['load whole', 'unload old']);
    expect((await readdir((await folder()).repository)).sort()).toEqual(['part', 'whole']);
    await deployments([]).rollback('a');
    expect((await readdir((await folder()).repository)).sort()).toEqual(['old', 'part', 'whole']);
  });

  it('stays as it was where the new version is not served apart or does not load', async () => {
    await deploy(await runOf('one'));
    apartFails = true;
    const failed = await rejection(deploy(await runOf('two'), 'a'));
    expect(failed).toMatchObject({ code: 'server-start-failed', details: 'E1128 the reason' });
    expect(await textAt('part/1/model.py')).toBe('one');
    apartFails = false;
    broken.add('whole');
    expect((await rejection(deploy(await runOf('three', { part: 'x', more: 'y' }), 'a'))).code).toBe(
      'model-load-failed',
    );
    expect(await textAt('part/1/model.py')).toBe('one');
    expect(await filesIn((await folder()).repository)).toEqual(whole);
    expect((await store().load('a')).deployment.models['whole']).toMatchObject({
      active: { version: 1 },
      previous: null,
    });
    expect(await readdir((await folder()).dir)).not.toContain('check');
  });

  it('is not mixed with a model whose configuration the workbench writes', async () => {
    await deploy(await runOf('one'));
    const other = await runOf('two');
    const run: DeployableRun = {
      ...{ config, version: 1, files: other.files, samples: null, check: other.check },
      about: { runId: 'two', format: 'onnx', precision: 'fp32' },
      ...{ engine: { kind: 'local', framework: 'pyt' }, keepConfig: other.keepConfig },
      ...{ sizes: [1], steady: [] },
    };
    expect(await rejection(deploy(run, 'a'))).toMatchObject({
      code: 'combination-unsupported',
      message:
        'a serves unmodified repositories, but the configuration of the run is written by the workbench',
    });
  });

  it('shares a model with another of the deployment where it is the same', async () => {
    await deploy(await runOf('one', { part: 'same' }));
    const named = async (runId: string, code: string): Promise<DeployableRun> => {
      const run = await runOf(runId, { other: 'o', part: code });
      const repository = { version: 1, models: ['other', 'part'], with: [] };
      return { ...run, config: { ...config, name: 'other' }, about: { ...run.about, repository } };
    };
    const { models } = await deploy(await named('two', 'same'), 'a');
    expect(models.map(({ name }) => name)).toEqual(['whole', 'other']);
    expect(await rejection(deploy(await named('three', 'differs'), 'a'))).toMatchObject({
      code: 'input-invalid',
      message: 'whole of a is served with another part',
    });
  });

  it('undoes an update that was killed before its files were placed, whatever answers', async () => {
    await deploy(await runOf('one'));
    const run = await runOf('two');
    const to = { ...run.about, model: 'whole', version: 2 };
    const { dir, kept } = await folder();
    await mkdir(join(kept('whole', 2), 'models', 'whole'), { recursive: true });
    await writeFile(join(kept('whole', 2), 'models', 'whole', 'config.pbtxt'), 'half');
    // A Triton that the version was tried on outlived the process.
    await mkdir(join(dir, 'check'));
    const ports = { http: 18_000, grpc: 18_001, metrics: 18_002 };
    await writeFile(join(dir, 'check', 'server.json'), JSON.stringify({ ports, process: { id: 'c' } }));
    const body = { type: 'change-begun', what: 'update', to, from: 1, pid: 4_194_305 } as const;
    await store().append(await folder(), body);
    removed = [];
    await deployments([]).recover('a');
    expect(removed).toEqual([{ id: 'a.check', http: 18_000 }]);
    const { deployment } = await store().load('a');
    expect(deployment.models['whole']).toMatchObject({ active: { version: 1 } });
    expect(deployment.change).toMatchObject({ outcome: 'undone' });
    expect(await textAt('whole/config.pbtxt')).toBe('platform: "ensemble"  # of one\n');
    expect(await readdir(dirname(kept('whole', 2)))).toEqual(['1']);
  });

  it('is served with the configuration of a search, and nothing else changes', async () => {
    const run = await runOf('one');
    const text = 'platform: "ensemble"  # searched\n';
    await deploy({ ...run, repository: { folder: join(root, 'one'), config: { model: 'whole', text } } });
    expect(await textAt('whole/config.pbtxt')).toBe(text);
    expect(await readFile(join(root, 'one', 'whole', 'config.pbtxt'), 'utf8')).toBe(
      'platform: "ensemble"  # of one\n',
    );
  });
});
