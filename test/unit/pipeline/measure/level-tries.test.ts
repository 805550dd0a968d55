import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ErrorCode, WorkbenchError } from '../../../../main/contract/errors';
import type { RunSpec } from '../../../../main/contract/run/run-spec';
import type { ServerHandle } from '../../../../main/engine/engine';
import { type Hold, HoldError } from '../../../../main/pipeline/hold';
import { ServerLost, withFreshServers } from '../../../../main/pipeline/measure/level-tries';
import type { StepContext } from '../../../../main/pipeline/step';
import { makeFolder, writeFileAtomic } from '../../../../main/platform/files';
import { runFolder } from '../../../../main/store/run-folder';
import { rejection } from '../../../support/rejection';
import { specFixture } from '../../../support/run-state';

let dir: string;
const noted: string[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'level-tries-'));
  noted.length = 0;
});
afterEach(() => rm(dir, { recursive: true }));

/** Stands in for a Triton that is there until it is stopped: only what becomes of it is under test. */
const faultyServer = (exited: ServerHandle['exited'] = new Promise(() => undefined)): ServerHandle => ({
  httpAddress: '127.0.0.1:1',
  grpcAddress: '127.0.0.1:1',
  metricsAddress: null,
  forClients: { httpAddress: '127.0.0.1:1', grpcAddress: '127.0.0.1:1' },
  tritonVersion: '0',
  exited,
  pid: null,
  stop: () => {
    noted.push('stop');
    return Promise.resolve();
  },
});

/** A step of a run whose engine cannot start another server. */
async function stepWith(engine: RunSpec['engine'], server: ServerHandle, hold: Hold | null = null) {
  const spec = specFixture((change) => {
    change.engine = engine;
  });
  const folder = runFolder(dir);
  const config = join(folder.repository, spec.configure.modelName, 'config.pbtxt');
  await makeFolder(dirname(config));
  await writeFileAtomic(config, 'name: "resnet50"\nbackend: "python"\nmax_batch_size: 1\n');
  const startServer = () => {
    noted.push('start');
    return Promise.reject(new WorkbenchError('server-start-failed', 'a fault of this test'));
  };
  const holdOf = () => Promise.resolve(hold);
  const run = { holdOf, server, spec, folder, keys: { deploy: 'k' }, services: { startServer } };
  const context = {
    run,
    spec,
    signal: new AbortController().signal,
    log: () => undefined,
    progress: () => undefined,
    warning: (text: string) => noted.push(text),
  } as unknown as StepContext;
  return { run, context };
}

const failing = (code: ErrorCode) => () => {
  noted.push('measure');
  return Promise.reject(new WorkbenchError(code, 'Triton was ended'));
};

it.each(['server-gone', 'server-unreachable'] as const)(
  'a server of others is neither stopped nor started again: %s',
  async (code) => {
    const server = faultyServer();
    const { run, context } = await stepWith({ kind: 'remote', url: 'http://127.0.0.1:1' }, server);
    const error = await rejection(withFreshServers(context, 'level', failing(code)));
    expect(error).toBeInstanceOf(ServerLost);
    expect(error).toMatchObject({ code, message: 'Triton was ended' });
    expect(noted).toEqual(['measure']);
    expect(run.server).toBe(server);
  },
);

it('a fresh server that does not start is tried once more, and ends the sweep with its own reason', async () => {
  const { run, context } = await stepWith({ kind: 'local' }, faultyServer());
  const error = await rejection(withFreshServers(context, 'level', failing('server-gone')));
  expect(error).not.toBeInstanceOf(ServerLost);
  expect(error.code).toBe('server-start-failed');
  const message = 'level: Triton was ended. It is tried again with a restarted Triton.';
  expect(noted).toEqual(['measure', 'stop', message, 'start', 'start']);
  expect(run.server).toBeNull();
});

it('memory that ran out in the load generator is not the end of Triton, that of Triton is', async () => {
  const serving = faultyServer();
  const alive = await stepWith({ kind: 'local' }, serving);
  const error = await rejection(withFreshServers(alive.context, 'level', failing('out-of-memory')));
  expect(error.code).toBe('out-of-memory');
  expect(noted).toEqual(['measure']);
  expect(alive.run.server).toBe(serving);
  noted.length = 0;
  const gone = Promise.resolve({ exitCode: 137, signal: null, outOfMemory: true, tail: [] });
  const dead = await stepWith({ kind: 'local' }, faultyServer(gone));
  await rejection(withFreshServers(dead.context, 'level', failing('out-of-memory')));
  expect(noted).toContain('start');
});

it('a Triton whose engine is away is left to it, and the run waits', async () => {
  const server = faultyServer();
  const hold: Hold = {
    wait: { reason: 'engine', what: 'the Docker Engine' },
    error: { code: 'docker-unreachable', message: 'a fault of this test' },
    everyMs: 1,
    isOver: () => Promise.resolve(false),
  };
  const { run, context } = await stepWith({ kind: 'local' }, server, hold);
  const error = await rejection(withFreshServers(context, 'level', failing('server-gone')));
  expect(error).toBeInstanceOf(HoldError);
  expect(noted).toEqual(['measure']);
  expect(run.server).toBe(server);
});
