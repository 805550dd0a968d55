import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DeploymentBody } from '../../../main/contract/deployment/deployment';
import { DeploymentStore, type StoredDeployment } from '../../../main/deployments/deployment-store';
import type { DeploymentTritons } from '../../../main/deployments/deployment-tritons';
import { traceDeployment, undoTracing } from '../../../main/deployments/trace-deployment';
import type { ServerStatus } from '../../../main/engine/engine';
import { localTraces } from '../../../main/engine/local/local-traces';
import { rejection } from '../../support/rejection';
import { startTracedTriton, type TracedTriton } from '../../support/traced-triton';
import { until } from '../../support/until';

let root: string;
let triton: TracedTriton;
let store: DeploymentStore;
let stored: StoredDeployment;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'trace-deployment-'));
  triton = await startTracedTriton();
  store = new DeploymentStore(root);
  const ports = { http: 1, grpc: 2, metrics: 3 };
  const version = {
    model: 'm',
    version: 1,
    runId: 'r',
    format: 'onnx',
    precision: 'fp32',
    checkedSamples: 1,
  } as const;
  stored = await store.create(
    { type: 'deployment-created', id: 'web', engine: { kind: 'local', framework: 'pyt' }, ports },
    { type: 'version-served', version },
    { type: 'started' },
  );
});
afterEach(async () => {
  await triton.close();
  await rm(root, { recursive: true, force: true });
});

const tritonsOf = (status: ServerStatus['kind'] = 'running') =>
  ({
    clientOf: () => Promise.resolve({ address: triton.address }),
    serverOf: () => ({
      traces: () => localTraces(root),
      readStatus: () => Promise.resolve({ kind: status, since: null, reason: '' }),
    }),
  }) as unknown as DeploymentTritons;
const append = async (body: DeploymentBody) => {
  stored = await store.append(stored.folder, body);
};
const parts = () => ({
  tritons: tritonsOf(),
  closing: new AbortController().signal,
  begun: (tracing: NonNullable<Parameters<typeof undoTracing>[1]['tracing']>) =>
    append({ type: 'change-begun', what: 'trace', tracing, pid: process.pid }),
  ended: () => append({ type: 'tracing-ended' }),
});

it('traces what others send, and ends its change', async () => {
  const tracing = traceDeployment(stored, { requests: 5, limitMs: 20_000 }, parts());
  await until('tracing is on', () => triton.own('m').trace_level !== undefined);
  expect(stored.deployment.change).toMatchObject({ what: 'trace', outcome: null, tracing: { model: 'm' } });
  await writeFile(join(root, 'trace.json.0'), '[]');
  triton.trace('m', 5);
  expect(await tracing).toBe(join(stored.folder.dir, 'traces'));
  expect(triton.own('m')).toEqual({});
  expect(stored.deployment.change).toMatchObject({ what: 'trace', outcome: 'ended' });
});

it('is undone where its process was killed, also after a restart of the journal', async () => {
  const killed = new AbortController();
  const tracing = traceDeployment(
    stored,
    { requests: 5, limitMs: 20_000, signal: killed.signal },
    {
      ...parts(),
      ended: () => Promise.resolve(),
    },
  );
  await until('tracing is on', () => triton.own('m').trace_level !== undefined);
  const { deployment } = await new DeploymentStore(root).load('web');
  const change = deployment.change ?? {};
  await undoTracing({ ...stored, deployment }, change, tritonsOf('stopped'));
  expect(triton.own('m')).not.toEqual({});
  await undoTracing({ ...stored, deployment }, change, tritonsOf());
  expect(triton.own('m')).toEqual({});
  killed.abort();
  await tracing.catch(() => undefined);
});

it('says so where no request arrived, and names the models of one that it does not serve', async () => {
  const none = await rejection(traceDeployment(stored, { requests: 5, limitMs: 200 }, parts()));
  expect(none).toMatchObject({ code: 'input-invalid', message: 'No request to m arrived within 0.2 s' });
  expect(triton.own('m')).toEqual({});
  const asked = { requests: 5, limitMs: 200, model: 'other' };
  const unknown = await rejection(traceDeployment(stored, asked, parts()));
  expect(unknown.remedy).toContain('m');
});
