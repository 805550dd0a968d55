import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Deployment, DeploymentBody } from '../../../../main/contract/deployment/deployment';
import { createDetachedServers } from '../../../../main/engine/local/detached-server';
import { processesOfEngine } from '../../../../main/engine/local/engine-record';
import { homeLayout } from '../../../../main/platform/layout';
import { freePorts } from '../../../support/triton';
import { until } from '../../../support/until';

let home: string;
let deployment: Deployment;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-detached-'));
  const { python, tritonServer, tritonBackends, libraryPathFile } = homeLayout(home);
  const program = '#!/bin/sh\nsleep 100 &\ntrap "kill $!; exit" TERM\nwait\n';
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
  const servers = createDetachedServers(homeLayout(home), process.env);
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
