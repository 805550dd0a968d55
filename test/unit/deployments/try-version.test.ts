import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeployedVersion } from '../../../main/contract/deployment/deployment';
import type { DeploymentVersion } from '../../../main/contract/deployment/deployment-change';
import { keptSamplesFile } from '../../../main/contract/kept-samples';
import type { DeployableRun } from '../../../main/deployments/deployable-run';
import { DeploymentStore, type StoredDeployment } from '../../../main/deployments/deployment-store';
import { DeploymentTritons } from '../../../main/deployments/deployment-tritons';
import { addFiles, triedVersion } from '../../../main/deployments/try-version';
import type { DeploymentServer } from '../../../main/engine/engine';
import { formatConfigPbtxt, parseConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import { rejection } from '../../support/rejection';
import { tinyConfig } from '../../support/tiny-model';

const model = tinyConfig.name;
const engine = { kind: 'local', framework: 'pyt' } as const;

let root: string;
let triton: Server;
let address: string;
/** What was asked of the servers, in order. */
let calls: string[];
let stop: AbortController;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-try-version-'));
  [calls, stop] = [[], new AbortController()];
  triton = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const [, name, verb] = /models\/([^/]+)\/.*?(load|unload|infer)$/.exec(request.url ?? '') ?? [];
      if (name !== undefined) calls.push(`${verb ?? ''} ${name}`);
      response.writeHead(verb === 'infer' ? 400 : 200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(verb === 'infer' ? { error: 'zeros' } : { name: 'triton', version: '2' }));
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

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const server: DeploymentServer = {
  reach: () => Promise.resolve(address),
  busyPorts: () => Promise.resolve(new Set<number>()),
  sync: ({ id }) => {
    calls.push(`sync ${id}`);
    return Promise.resolve();
  },
  start: ({ id }) => {
    calls.push(`start ${id}`);
    return Promise.resolve();
  },
  stop: () => Promise.resolve(),
  remove: ({ id }) => {
    calls.push(`remove ${id}`);
    return Promise.resolve();
  },
  readStatus: () => Promise.resolve({ kind: 'running', since: null }),
  readProcesses: () => Promise.resolve([]),
  traces: () => ({ list: () => Promise.resolve([]), take: () => Promise.resolve() }),
  log: () => Promise.resolve([]),
};

async function stored(): Promise<StoredDeployment> {
  const store = new DeploymentStore(join(root, 'deployments'));
  const ports = { http: 18_000, grpc: 18_001, metrics: 18_002 };
  return store.create({ type: 'deployment-created', id: 'a', engine, ports });
}

const parts = () => ({
  tritons: new DeploymentTritons({
    store: new DeploymentStore(join(root, 'deployments')),
    servers: { local: server, docker: server },
    closing: stop.signal,
  }),
  signal: stop.signal,
  say: () => undefined,
});

/** A run whose configuration the workbench writes. */
async function written(about: Partial<DeployableRun['about']> = {}): Promise<DeployableRun> {
  await put('run/model.onnx', 'weights');
  return {
    about: { runId: 'run-1', format: 'onnx', precision: 'fp32', ...about },
    ...{ config: tinyConfig, version: 1, engine, files: join(root, 'run'), samples: join(root, 'none') },
    check: { canary: null, anyValues: true, anyAnswers: true, atol: {}, rtol: {}, maxMismatch: {} },
    ...{ sizes: [1], steady: [] },
    keepConfig: async (path, config) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, formatConfigPbtxt(config));
    },
  };
}

const repository = { version: 3, models: [model, 'part'], with: ['part'] };
/** A run of a repository as it is. */
async function asItIs(): Promise<DeployableRun> {
  await put(`models/${model}/config.pbtxt`, '# by hand\n');
  await put(`models/${model}/3/model.py`, 'own');
  await put('models/part/1/model.py', 'part');
  const run = await written({ format: 'repository', precision: 'as-is', repository });
  return { ...run, repository: { folder: join(root, 'models') } };
}

const versionOf = ({ about }: DeployableRun, version: number): DeploymentVersion => {
  const { runId, format, precision } = about;
  const own = about.repository === undefined ? {} : { repository: about.repository };
  return { model, version, runId, format, precision, ...own };
};

const filesIn = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
};

describe('the files of a version', () => {
  it('are those of the run under its number, with a configuration that serves only it', async () => {
    const { folder } = await stored();
    const run = await written();
    await addFiles(folder, run, versionOf(run, 2));
    expect(await filesIn(folder.repository)).toEqual([`${model}/2/model.onnx`]);
    expect(await filesIn(folder.kept(model, 2))).toEqual(['check.json', 'config.pbtxt']);
    const kept = parseConfigPbtxt(await readFile(join(folder.kept(model, 2), 'config.pbtxt'), 'utf8'));
    expect(kept.versionPolicy).toEqual({ specific: { versions: [2] } });
  });

  it('of a repository are all of its models, outside of what Triton reads, and its version policy stays', async () => {
    const { folder } = await stored();
    const run = await asItIs();
    const to = versionOf(run, 2);
    // Of a try that was killed.
    await mkdir(join(folder.kept(model, 2), 'models', 'left'), { recursive: true });
    await addFiles(folder, run, to);
    expect(await filesIn(folder.repository)).toEqual([]);
    expect(await readdir(join(folder.kept(model, 2), 'models'))).toEqual([model, 'part'].sort());
    expect(await filesIn(folder.kept(model, 2))).toEqual([
      'check.json',
      'config.pbtxt',
      ...[`models/${model}/3/model.py`, `models/${model}/config.pbtxt`, 'models/part/1/model.py'].sort(),
    ]);
    expect(await readFile(join(folder.kept(model, 2), 'models', model, 'config.pbtxt'), 'utf8')).toBe(
      '# by hand\n',
    );
    const kept = parseConfigPbtxt(await readFile(join(folder.kept(model, 2), 'config.pbtxt'), 'utf8'));
    expect(kept.versionPolicy).toEqual(tinyConfig.versionPolicy);
  });

  it('of a run that was not checked have the golden samples of the version before, and those of others their own', async () => {
    const { folder } = await stored();
    const before: DeployedVersion = {
      ...{ model, version: 1, runId: 'run-0', format: 'onnx', precision: 'fp32' },
      ...{ checkedSamples: 1, golden: 'golden.json' },
    };
    const samples = (golden: string) => JSON.stringify({ lengths: {}, golden, samples: [] });
    await put(`deployments/a/versions/${model}/1/${keptSamplesFile}`, samples('golden.json'));
    await put(`own/${keptSamplesFile}`, samples('own.json'));
    const goldenOf = async (accuracy: 'not checked' | 'verified', version: number) => {
      const run = { ...(await written({ accuracy })), samples: join(root, 'own') };
      await addFiles(folder, run, versionOf(run, version), before);
      const text = await readFile(join(folder.kept(model, version), keptSamplesFile), 'utf8');
      return (JSON.parse(text) as { readonly golden: string }).golden;
    };
    expect(await goldenOf('not checked', 2)).toBe('golden.json');
    expect(await goldenOf('verified', 3)).toBe('own.json');
  });
});

describe('a version is tried', () => {
  it('under a name of its own beside the one that serves, and the name is gone afterwards', async () => {
    const at = await stored();
    const run = await written({ accuracy: 'verified' });
    const to = versionOf(run, 2);
    await addFiles(at.folder, run, to);
    const candidate = `${model}--candidate`;
    const tried = await triedVersion(at, run, to, parts());
    expect(tried).toMatchObject({ model, version: 2, runId: 'run-1', accuracy: 'verified' });
    expect(tried).toMatchObject({ checkedSamples: 0, coldStart: { readyUs: null } });
    expect(calls.filter((call) => !call.startsWith('infer'))).toEqual([
      'sync a',
      `load ${candidate}`,
      `unload ${candidate}`,
    ]);
    // First requests, then the canary request.
    expect(new Set(calls.filter((call) => call.startsWith('infer')))).toEqual(
      new Set([`infer ${candidate}`]),
    );
    expect(await readdir(at.folder.repository)).toEqual([model]);
  });

  it('of a repository on a Triton of its own under its own names, which is ended afterwards', async () => {
    const at = await stored();
    const run = await asItIs();
    const to = versionOf(run, 2);
    await addFiles(at.folder, run, to);
    const tried = await triedVersion(at, run, to, parts());
    expect(tried).toMatchObject({ model, version: 2, repository, coldStart: { loadUs: null } });
    expect(calls.filter((call) => !call.startsWith('infer'))).toEqual([
      'sync a.check',
      'start a.check',
      'remove a.check',
    ]);
    expect(calls).toContain(`infer ${model}`);
    expect(await readdir(at.folder.dir)).not.toContain('check');
  });

  it('of a repository not at all where another model of the deployment has a part of that name', async () => {
    const at = await stored();
    const run = await asItIs();
    const to = versionOf(run, 2);
    await addFiles(at.folder, run, to);
    const other: DeployedVersion = {
      ...{ model: 'other', version: 1, runId: 'run-0', format: 'repository', precision: 'as-is' },
      ...{ checkedSamples: 0, repository: { version: 1, models: ['other', 'part'], with: [] } },
    };
    await put('deployments/a/versions/other/1/models/part/1/model.py', 'another part');
    const models = { other: { active: other, previous: null, lastVersion: 1 } };
    const busy = { ...at, deployment: { ...at.deployment, models } };
    expect(await rejection(triedVersion(busy, run, to, parts()))).toMatchObject({
      code: 'input-invalid',
      message: 'other of a is served with another part',
    });
    expect(calls).toEqual([]);
  });

  it('not any more once it was cancelled', async () => {
    const at = await stored();
    const run = await written();
    const to = versionOf(run, 2);
    await addFiles(at.folder, run, to);
    stop.abort(new Error('given up'));
    await expect(triedVersion(at, run, to, parts())).rejects.toThrow('given up');
    expect(calls).toEqual(['sync a']);
  });
});
