import { expect, it } from 'vitest';
import { exitCodeOf, exitCodes } from '../../../main/cli/output';
import type { DeployRequest } from '../../../main/contract/deployment/deployment';
import { WorkbenchError } from '../../../main/contract/errors';
import type { Core } from '../../../main/core';
import { programWith, said } from '../../support/cli-program';
import { rejection } from '../../support/rejection';

/** A command line with what it asked the core for. */
async function asked(...words: string[]): Promise<readonly unknown[]> {
  const requests: unknown[] = [];
  const core = {
    subscribe: () => () => undefined,
    handlers: {
      'runs.all': () => Promise.resolve({ runs: [{ runId: 'a', name: null }], unreadable: [] }),
      'deployments.deploy': (request: DeployRequest) => {
        requests.push(request);
        return Promise.resolve({ models: [], gpus: [] });
      },
      'deployments.log': (request: unknown) => {
        requests.push(request);
        return Promise.resolve([]);
      },
    },
  } as unknown as Core;
  const output = { json: true, live: false, say: () => undefined, document: () => undefined };
  await programWith({
    core: () => Promise.resolve(core),
    output: () => ({ ...output, rewrite: () => undefined, clearScreen: () => undefined }),
  }).parseAsync(words, { from: 'user' });
  return requests;
}

it.each([
  ['--name', 'b'],
  ['--http-port', '9000'],
  ['--grpc-port', '9001'],
  ['--metrics-port', '9002'],
  ['--listen', '0.0.0.0'],
])('%s is not passed over where a deployment is updated', async (flag, value) => {
  expect(await rejection(asked('deploy', 'a', '--to', 'vision', flag, value))).toMatchObject({
    ...{ code: 'input-invalid', where: flag },
    message: `${flag} applies to a new deployment, and --to names one that exists`,
  });
  expect(await asked('deploy', 'a', flag, value)).toHaveLength(1);
});

it.each(['0', '2.5', 'x'])('refuses the last %s lines of a deployment', async (tail) => {
  expect(await rejection(asked('deployments', 'logs', 'vision', '--tail', tail))).toMatchObject({
    ...{ code: 'input-invalid', where: '--tail' },
  });
});

it('asks for the last 200 lines of a deployment, or as many as are wanted', async () => {
  expect(await asked('deployments', 'logs', 'vision')).toEqual([{ id: 'vision', limit: 200 }]);
  expect(await asked('deployments', 'logs', 'vision', '--tail', '50')).toMatchObject([{ limit: 50 }]);
});

it('gives a deployment up at Ctrl-C, and waits for what it made to go', async () => {
  let given = (): void => undefined;
  const core = {
    subscribe: () => () => undefined,
    close: () => {
      given();
      return Promise.resolve();
    },
    handlers: {
      'runs.all': () => Promise.resolve({ runs: [{ runId: 'a', name: null }], unreadable: [] }),
      'deployments.deploy': () =>
        new Promise((_resolve, reject) => {
          given = () => {
            reject(new WorkbenchError('cancelled', 'The change was cancelled'));
          };
          process.emit('SIGINT');
        }),
    },
  } as unknown as Core;
  const before = process.listenerCount('SIGINT');
  const program = programWith({ core: () => Promise.resolve(core) });
  const error = await rejection(program.parseAsync(['deploy', 'a'], { from: 'user' }));
  expect(exitCodeOf(error)).toBe(exitCodes.cancelled);
  expect(process.listenerCount('SIGINT')).toBe(before);
});

it('says that the models of a stopped deployment are not loaded, as their state is not asked for', async () => {
  const model = {
    ...{ name: 'ocr', version: 1, state: 'unknown', reason: null, runId: 'a', previous: null },
    ...{ format: 'onnx', precision: 'fp32', checkedSamples: 0 },
  };
  const deployment = {
    ...{ id: 'web', state: 'stopped', reason: null, interrupted: null, engine: 'local', host: null },
    ...{ image: null, gpus: [], httpUrl: '', grpcUrl: '', metricsUrl: '', models: [model] },
  };
  const core = {
    subscribe: () => () => undefined,
    handlers: {
      'runs.all': () => Promise.resolve({ runs: [], unreadable: [] }),
      'deployments.stop': () => Promise.resolve(deployment),
    },
  } as unknown as Core;
  expect((await said(core, 'deployments', 'stop', 'web')).text).toContain('ocr v1: not loaded\n');
});
