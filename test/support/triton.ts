import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type LocalToolchain, readLocalToolchain } from '../../main/engine/local/server-command';
import { killGroup } from '../../main/platform/exec';
import { exists } from '../../main/platform/files';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { until } from './until';

/** A model of the Python backend for tests: `execute` has `values`, the float32 input, and returns the output. */
export interface TestModel {
  readonly name: string;
  readonly execute: string;
  /** Statement that runs once, at the load of the model. */
  readonly setUp?: string;
  /** 0: no batch dimension, and the input has any length; else [items, 16]. */
  readonly maxBatchSize: number;
  readonly dynamicBatching?: boolean;
  /** Elements of the output of one item; any length when absent. */
  readonly outputElements?: number;
  /** Of the input, in place of the usual ones. */
  readonly dims?: string;
  /** Inputs and outputs of config.pbtxt, in place of the usual ones. */
  readonly tensors?: string;
  /** Further text of config.pbtxt. */
  readonly config?: string;
  /** The whole model.py, in place of `execute`. */
  readonly source?: string;
}

/** An ensemble of other models of the same server. */
export interface TestEnsemble {
  readonly name: string;
  /** The whole config.pbtxt. */
  readonly config: string;
}

const modelFile = (model: TestModel): string => `import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        ${model.setUp ?? 'pass'}

    def answer(self, values):
        ${model.execute}

    def execute(self, requests):
        # Two milliseconds in which a load generator leaves the processors to the tests beside it.
        time.sleep(0.002)
        responses = []
        for request in requests:
            values = pb_utils.get_input_tensor_by_name(request, "INPUT").as_numpy()
            try:
                output = pb_utils.Tensor("OUTPUT", self.answer(values).astype(np.float32))
                responses.append(pb_utils.InferenceResponse([output]))
            except ValueError as error:
                responses.append(pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error))))
        return responses
`;

const usualTensors = ({ dims, maxBatchSize, outputElements }: TestModel): string =>
  `input [ { name: "INPUT" data_type: TYPE_FP32 dims: [ ${dims ?? (maxBatchSize === 0 ? '-1' : '16')} ] } ]
output [ { name: "OUTPUT" data_type: TYPE_FP32 dims: [ ${outputElements ?? dims ?? -1} ] } ]`;

const configFile = (model: TestModel): string => `name: "${model.name}"
backend: "python"
max_batch_size: ${model.maxBatchSize}
${model.tensors ?? usualTensors(model)}
instance_group [ { kind: KIND_CPU count: 1 } ]
${model.dynamicBatching === true ? 'dynamic_batching { }' : ''}
${model.config ?? ''}
`;

export interface TestTriton {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  readonly metricsAddress: string;
  readonly pid: number;
  /** Ends it at once, as a crash would. */
  kill(): void;
  stop(): Promise<void>;
}

export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  });
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return ports;
}

/** As Triton's own defaults: what was derived of one of them leads to the others. */
async function neighboringPorts(): Promise<readonly [http: number, grpc: number, metrics: number]> {
  for (;;) {
    const [first = 0] = await freePorts(1);
    const free = await Promise.all([first + 1, first + 2].map(isFree));
    if (free.every(Boolean)) return [first, first + 1, first + 2];
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(`http://${address}/v2/health/ready`)).ok;
  } catch {
    return false;
  }
}

const mostStarts = 3;

/**
 * A real tritonserver of the workbench home that serves the given models on free loopback ports; started again where it ends
 * before it is ready, as it does when somebody else took a port meanwhile or the machine stood still while a stub started.
 * Fails when it is not installed: a test that needs it must not pass without it.
 * @param toolchain of another Triton than the home's
 */
export async function startTestTriton(
  models: readonly (TestModel | TestEnsemble)[],
  extra: readonly string[] = [],
  toolchain?: LocalToolchain,
): Promise<TestTriton> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await startOnce(models, extra, toolchain);
    } catch (error) {
      if (starts === mostStarts) throw error;
      process.stderr.write(`The test Triton is started again: ${String(error)}\n`);
    }
  }
}

async function startOnce(
  models: readonly (TestModel | TestEnsemble)[],
  extra: readonly string[],
  given?: LocalToolchain,
): Promise<TestTriton> {
  const layout = homeLayout(defaultHome(process.env));
  if (!(await exists(layout.tritonServer)))
    throw new Error(`${layout.tritonServer} is missing: run npm test once`);
  const dir = await mkdtemp(join(tmpdir(), 'workbench-triton-'));
  const repository = join(dir, 'models');
  for (const model of models) {
    await mkdir(join(repository, model.name, '1'), { recursive: true });
    if (!('execute' in model)) {
      await writeFile(join(repository, model.name, 'config.pbtxt'), model.config);
      continue;
    }
    await writeFile(join(repository, model.name, 'config.pbtxt'), configFile(model));
    await writeFile(join(repository, model.name, '1', 'model.py'), model.source ?? modelFile(model));
  }
  const [http, grpc, metrics] = await neighboringPorts();
  const logPath = join(dir, 'triton.log');
  const log = await open(logPath, 'w');
  const toolchain = given ?? (await readLocalToolchain(layout));
  const child = spawn(
    toolchain.program,
    [
      `--model-repository=${repository}`,
      `--backend-directory=${toolchain.backends}`,
      ...['--http-address', '127.0.0.1', '--http-port', String(http)],
      ...['--grpc-address', '127.0.0.1', '--grpc-port', String(grpc)],
      ...['--metrics-address', '127.0.0.1', '--metrics-port', String(metrics)],
      ...extra,
    ],
    {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: {
        ...process.env,
        LD_LIBRARY_PATH: toolchain.libraryPath.join(delimiter),
        // One thread for numpy, as a model instance has: the load generator runs on the same cores.
        OPENBLAS_NUM_THREADS: '1',
        // The Python backend finds its packages through PATH.
        PATH: `${toolchain.pythonBin}${delimiter}${process.env['PATH'] ?? ''}`,
      },
    },
  );
  await log.close();
  const { pid } = child;
  if (pid === undefined) throw new Error('tritonserver could not be started');
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  const stop = async () => {
    killGroup(pid, 'SIGKILL');
    await exited;
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await until('the test Triton is ready', async () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`It ended by ${child.signalCode ?? 'itself'}:\n${await readFile(logPath, 'utf8')}`);
      }
      return isReady(`127.0.0.1:${http}`);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    httpAddress: `127.0.0.1:${http}`,
    grpcAddress: `127.0.0.1:${grpc}`,
    metricsAddress: `127.0.0.1:${metrics}`,
    pid,
    kill: () => {
      killGroup(pid, 'SIGKILL');
    },
    stop,
  };
}
