import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Deployment, DeploymentBody } from '../../../../main/contract/deployment/deployment';
import { createDetachedServers } from '../../../../main/engine/local/detached-server';
import { processesOfEngine } from '../../../../main/engine/local/engine-record';
import { homeLayout } from '../../../../main/platform/layout';
import { repository } from '../../../support/home';
import { freePorts } from '../../../support/triton';
import { until } from '../../../support/until';

let home: string;
let deployment: Deployment;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-detached-'));
  const { python, tritonServer, tritonBackends, libraryPathFile } = homeLayout(home);
  const program =
    '#!/bin/sh\necho "$TRITON_WORKBENCH_REPOSITORY $@" > arguments\nsleep 100 &\ntrap "kill $!; exit" TERM\nwait\n';
  const stub = join(tritonBackends, 'python', 'triton_python_backend_stub');
  for (const path of [python, tritonServer, stub, libraryPathFile]) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, path === tritonServer ? program : '', { mode: 0o755 });
  }
  await mkdir(join(home, 'python', 'lib', 'python3.11'), { recursive: true });
  const [http = 0, grpc = 0, metrics = 0] = await freePorts(3);
  deployment = {
    ...{ id: 'a', createdAt: '', engine: { kind: 'local', framework: 'pyt' }, models: {} },
    ...{ ports: { http, grpc, metrics }, wanted: false, startedAt: null, process: null },
    change: null,
  };
});
afterEach(() => rm(home, { recursive: true, force: true }));

it('a server is found and ended by what was written before its start, as where its command was killed then', async () => {
  const servers = createDetachedServers(homeLayout(home), process.env, join(repository, 'resources'));
  const place = { dir: home, repository: join(home, 'models'), log: join(home, 'triton.log') };
  const notes: DeploymentBody[] = [];
  const note = (body: DeploymentBody) => Promise.resolve(notes.push(body));
  await servers.start(deployment, place, { signal: new AbortController().signal, note });
  const [noted] = notes;
  if (noted?.type !== 'server-process') throw new Error('nothing was noted');
  const known = { ...deployment, process: { id: noted.id } };
  await until('it runs with its child', async () => (await processesOfEngine(noted.id)).length === 2);
  expect(await servers.readStatus(known)).toEqual({ kind: 'running', since: null });
  // It is not started a second time.
  await servers.start(known, place, { signal: new AbortController().signal, note });
  expect(notes).toHaveLength(1);
  await servers.stop(known);
  expect(await processesOfEngine(noted.id)).toEqual([]);
  expect((await servers.readStatus(known)).kind).toBe('failed');
});

it('of repositories as they are has its backends beside it, and completes configurations', async () => {
  const layout = homeLayout(home);
  const servers = createDetachedServers(layout, process.env, join(repository, 'resources'));
  const dir = join(home, 'deployments', 'a');
  const place = { dir, repository: join(dir, 'models'), log: join(dir, 'triton.log') };
  await mkdir(place.repository, { recursive: true });
  const notes: DeploymentBody[] = [];
  await servers.start({ ...deployment, engine: { kind: 'local', framework: 'pyt', asIs: true } }, place, {
    signal: new AbortController().signal,
    note: (body) => Promise.resolve(notes.push(body)),
  });
  const [noted] = notes;
  if (noted?.type !== 'server-process') throw new Error('nothing was noted');
  const given = () => readFile(join(dir, 'arguments'), 'utf8').catch(() => '');
  await until('it has its arguments', async () => (await given()) !== '');
  await servers.stop({ ...deployment, process: { id: noted.id } });
  expect(await given()).toContain(`${place.repository} --model-repository=${place.repository}`);
  expect(await given()).toContain(`--backend-directory=${join(dir, 'backends')}`);
  expect(await given()).not.toContain('--disable-auto-complete-config');
  expect((await readdir(join(dir, 'backends'))).sort()).toEqual([
    'onnxruntime',
    'python',
    'pytorch',
    'tensorflow',
  ]);
  expect(await readlink(join(dir, 'backends', 'python'))).toBe(join(layout.tritonBackends, 'python'));
});
