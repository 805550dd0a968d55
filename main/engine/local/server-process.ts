import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../../contract/errors';
import { ownIdentity, processStartTime } from '../../platform/process-identity';
import { ownPlace } from '../../platform/process-place';
import type { ServerExit, StartServerInput } from '../engine';
import { endEngineProcesses } from './engine-processes';
import type { EngineRecord } from './engine-record';
import { removeEngineRecord, writeEngineRecord } from './engine-record';
import { serverArguments, serverEnvironment } from './server-command';
import { ServerOutput } from './server-output';
import type { LocalToolchain } from './toolchain';

/** Triton itself waits up to 5 s for requests in flight and for models to unload. */
const stopGraceMs = 8000;

export interface ServerProcess {
  readonly pid: number;
  /** Settles when the server has ended and nothing of it is left: processes, shared memory, record. */
  readonly exited: Promise<ServerExit>;
  /** The last lines of the log so far. */
  tail(): readonly string[];
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): Promise<void>;
}

export interface LaunchInput {
  readonly toolchain: LocalToolchain;
  readonly env: NodeJS.ProcessEnv;
  /** Folder of the engine records. */
  readonly records: string;
  readonly start: StartServerInput;
}

function spawned(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => {
      resolve(child.pid ?? 0);
    });
    child.once('error', (error) => {
      reject(
        new WorkbenchError('server-start-failed', `${program} cannot be started: ${error.message}`, {
          cause: error,
        }),
      );
    });
  });
}

/** Starts Triton in a process group of its own; its output goes to the log file, up to the cap of a log. */
export async function launchServer(input: LaunchInput): Promise<ServerProcess> {
  const { toolchain, start, records } = input;
  const id = randomBytes(16).toString('hex');
  const [program, ...args] = serverArguments({
    program: toolchain.program,
    backends: toolchain.backends,
    repository: start.repository,
    engineId: id,
    httpPort: start.httpPort,
    grpcPort: start.grpcPort,
  });
  const record: EngineRecord = {
    version: 1,
    id,
    runId: start.runId,
    workbench: { ...ownIdentity(), place: ownPlace() },
    server: null,
    command: [program, ...args],
  };
  await writeEngineRecord(records, record);
  const output = await ServerOutput.open(start.logPath, start.onLog).catch(async (error: unknown) => {
    await removeEngineRecord(records, id);
    throw error;
  });
  start.onCommand([program, ...args]);
  const child = spawn(program, args, {
    cwd: dirname(start.logPath),
    env: serverEnvironment({ ...toolchain, env: input.env, engineId: id }),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  output.follow(child.stdout, child.stderr);
  const ended = new Promise<Pick<ServerExit, 'exitCode' | 'signal'>>((resolve) => {
    child.once('exit', (exitCode, signal) => {
      resolve({ exitCode, signal });
    });
  });
  const clean = async () => {
    // What cannot be ended keeps its record, so that a later sweep tries again.
    await endEngineProcesses(id).then(
      () => removeEngineRecord(records, id),
      () => undefined,
    );
    await output.close();
  };
  let pid: number;
  try {
    pid = await spawned(child, program);
  } catch (error) {
    await clean();
    throw error;
  }
  const startTime = processStartTime(pid);
  try {
    if (startTime !== null) await writeEngineRecord(records, { ...record, server: { pid, startTime } });
  } catch (error) {
    await clean();
    throw error;
  }
  const exited = ended.then(async (how) => {
    await clean();
    return { ...how, tail: output.tail() };
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return {
    pid,
    exited,
    kill,
    tail: () => output.tail(),
    stop: async () => {
      // Not to the group: stubs that end before Triton asks them to make it wait for them.
      child.kill('SIGTERM');
      const timer = new AbortController();
      await Promise.race([
        exited,
        sleep(stopGraceMs, undefined, { signal: timer.signal }).catch(() => undefined),
      ]);
      timer.abort();
      await kill();
    },
  };
}
