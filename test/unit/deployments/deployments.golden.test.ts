import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DeploymentModelInfo } from '../../../main/contract/deployment/deployment';
import type { DeployableRun } from '../../../main/deployments/deployable-run';
import { DeploymentStore } from '../../../main/deployments/deployment-store';
import { Deployments } from '../../../main/deployments/deployments';
import type { DeploymentServer } from '../../../main/engine/engine';
import { keepGolden } from '../../../main/golden/keep-golden';
import { formatConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import type { Tensor } from '../../../main/triton/tensor';
import { rejection } from '../../support/rejection';
import { tinyConfig } from '../../support/tiny-model';

const model = tinyConfig.name;
const engine = { kind: 'local' as const, framework: 'pyt' as const };

/** First value of every answer. */
let answer: number;

function replyOf(value: number): readonly [Record<string, string>, Buffer] {
  const output = {
    ...{ name: 'OUTPUT__0', datatype: 'FP32', shape: [1, 3] },
    parameters: { binary_data_size: 12 },
  };
  const head = Buffer.from(JSON.stringify({ model_name: model, model_version: '1', outputs: [output] }));
  const data = Buffer.from(Float32Array.of(value, 0, 0).buffer);
  return [{ 'Inference-Header-Content-Length': String(head.length) }, Buffer.concat([head, data])];
}

const triton = (): Server =>
  createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const url = request.url ?? '';
      if (url.endsWith('/infer')) {
        const [headers, body] = replyOf(answer);
        response.writeHead(200, headers).end(body);
        return;
      }
      const index = [{ name: model, version: null, state: 'READY' }];
      const document = url.endsWith('/index') ? index : { name: 'triton', version: '2' };
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document));
    });
  });

let root: string;
let listening: Server;
let address: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-deploy-golden-'));
  await mkdir(join(root, 'run'));
  await writeFile(join(root, 'run', 'model.onnx'), 'weights');
  listening = triton();
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  const place = listening.address();
  address = `127.0.0.1:${typeof place === 'object' && place !== null ? place.port : 0}`;
});
afterEach(async () => {
  listening.closeAllConnections();
  listening.close();
  await rm(root, { recursive: true, force: true });
});

/** Serves a run with these samples, as the next version of `to`. */
async function deployed(
  accuracy: DeploymentModelInfo['accuracy'],
  samples: string,
  to?: string,
): Promise<readonly DeploymentModelInfo[]> {
  const run: DeployableRun = {
    about: { runId: 'run-1', format: 'onnx', precision: 'fp32', accuracy },
    ...{ config: tinyConfig, version: 1, engine, files: join(root, 'run'), samples: join(root, samples) },
    check: { canary: null, anyValues: true, atol: {}, rtol: {}, maxMismatch: {} },
    ...{ sizes: [], steady: [] },
    keepConfig: async (path, config) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, formatConfigPbtxt(config));
    },
  };
  const server: DeploymentServer = {
    reach: () => Promise.resolve(address),
    busyPorts: () => Promise.resolve(new Set<number>()),
    sync: () => Promise.resolve(),
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    remove: () => Promise.resolve(),
    readProcesses: () => Promise.resolve([]),
    readStatus: () => Promise.resolve({ kind: 'running', since: null }),
    traces: () => ({ list: () => Promise.resolve([]), take: () => Promise.resolve() }),
    log: () => Promise.resolve([]),
  };
  const deployments = new Deployments({
    store: new DeploymentStore(join(root, 'deployments')),
    servers: { local: server, docker: server },
    runOf: () => Promise.resolve(run),
    onChange: () => undefined,
    startRecovery: () => undefined,
    now: () => new Date(),
  });
  const request = { runId: 'run-1', ...(to === undefined ? { name: 'a' } : { to }) };
  return (await deployments.deploy(request)).models;
}

const value = (name: string): Tensor => ({
  ...{ name, datatype: 'FP32', shape: [1, 3], data: new Uint8Array(Float32Array.of(7, 0, 0).buffer) },
});

it('checks the next version whose run was not checked, and refuses one that answers otherwise', async () => {
  const samples = [{ id: 's', inputs: [value('INPUT__0')], outputs: [value('OUTPUT__0')] }];
  await keepGolden(join(root, 'kept'), { samples, rules: {}, file: 'ocr.json' });
  answer = 7;
  const checked = { version: 1, accuracy: 'verified', checkedSamples: 1, golden: 'ocr.json' };
  expect(await deployed('verified', 'kept')).toMatchObject([checked]);
  expect(await deployed('not checked', 'none', 'a')).toMatchObject([{ ...checked, version: 2 }]);
  answer = 8;
  const { message } = await rejection(deployed('not checked', 'none', 'a'));
  expect(message).toContain('does not answer the sample s as ocr.json has it: OUTPUT__0: 1 of 3 values');
  // One that failed was asked for in spite of it.
  expect(await deployed('failed', 'none', 'a')).toMatchObject([
    { version: 3, accuracy: 'failed', checkedSamples: 0, previous: { version: 2 } },
  ]);
});

it('says of a version without samples whether its run was checked', async () => {
  answer = 1;
  expect(await deployed('verified', 'none')).toMatchObject([{ accuracy: 'verified', checkedSamples: 0 }]);
  expect(await deployed('not checked', 'none', 'a')).toMatchObject([{ accuracy: 'not checked' }]);
});
