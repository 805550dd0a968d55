import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../../contract/errors';
import { LineSplitter, readGently } from '../../platform/lines';
import { LogFile } from '../../platform/log-file';
import { fileError } from '../../platform/plain-entry';
import { ownIdentity, ownPlace, processStartTime } from '../../platform/process';
import { memoryOfProcesses } from '../../platform/process-memory';
import { type ProcessReading, readProcesses } from '../../platform/process-readings';
import type { ServerExit, StartServerInput } from '../engine';
import type { InContainer } from '../job';
import { traceFileName } from '../server-traces';
import { TritonLog } from '../serving';
import {
  endEngineProcesses,
  type EngineRecord,
  processesOfEngine,
  removeEngineRecord,
  writeEngineRecord,
} from './engine-record';
import {
  containerEnvironment,
  type LocalToolchain,
  serverArguments,
  serverEnvironment,
} from './server-command';

/** After the server ended; a child may keep its pipes open. */
const endPatienceMs = 500;

/** Server output from pipes to its log: a full pipe slows the server down, a direct file could fill the disk. */
class ServerOutput {
  private read: Promise<unknown> = Promise.resolve();
  private streams: readonly Readable[] = [];

  private constructor(private readonly log: TritonLog) {}

  /** Appends. Throws file-unwritable, disk-full; a link in its place would redirect the output. */
  static async open(path: string, emit: (lines: readonly string[]) => void): Promise<ServerOutput> {
    try {
      return new ServerOutput(new TritonLog(await LogFile.open(path), emit));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw fileError(error, path);
      throw new WorkbenchError('file-unwritable', `${path} is a link; the log is not written through it`, {
        where: path,
        remedy: 'Remove the link, then resume the run.',
        cause: error,
      });
    }
  }

  tail(): readonly string[] {
    return [...this.log.tail];
  }

  /** Call once, before the next turn of the event loop. */
  follow(...streams: readonly Readable[]): void {
    this.streams = streams;
    this.read = Promise.all(streams.map((stream) => this.readLines(stream)));
  }

  /** Call after the server has ended; waits for remaining output. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, endPatienceMs)));
    await Promise.race([this.read, patience]);
    clearTimeout(timer);
    for (const stream of this.streams) stream.destroy();
    await this.read;
    await this.log.close();
  }

  private async readLines(stream: Readable): Promise<void> {
    let ready: string[] = [];
    const lines = new LineSplitter((line) => ready.push(line));
    const give = () => {
      if (ready.length > 0) this.log.add(ready);
      ready = [];
    };
    await readGently(stream, (chunk) => {
      lines.add(chunk);
      give();
    });
    lines.end();
    give();
  }
}

/** Triton waits up to 5 s for requests and unloads. */
const stopGraceMs = 8000;

export interface ServerProcess {
  readonly pid: number;
  /** Process ids that may listen on the server's ports. */
  listeners(): Promise<readonly number[]>;
  /** Of all its processes, bytes; null: not known. */
  readMemory(): Promise<number | null>;
  readProcesses(): Promise<readonly ProcessReading[]>;
  /** Settles when processes, shared memory and record are gone. */
  readonly exited: Promise<ServerExit>;
  /** The last lines of the log so far. */
  tail(): readonly string[];
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** The home's Triton, or a container runtime that starts one as its child. */
export type ServerProgram =
  | { readonly toolchain: LocalToolchain; readonly inContainer?: undefined }
  | { readonly inContainer: InContainer };

export interface LaunchInput {
  readonly program: ServerProgram;
  readonly env: NodeJS.ProcessEnv;
  /** Folder of engine records. */
  readonly records: string;
  readonly start: StartServerInput;
}

/** Throws server-start-failed. */
export function spawned(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (cause) => {
      const message = `${program} cannot be started: ${cause.message}`;
      reject(new WorkbenchError('server-start-failed', message, { cause }));
    });
  });
}

function startOf({ program, env, start }: LaunchInput, engineId: string) {
  const { repository, httpPort, grpcPort, asIs } = start;
  const asked = { repository, engineId, httpPort, grpcPort, asIs };
  if (program.inContainer === undefined) {
    const { toolchain } = program;
    return {
      argv: serverArguments({
        ...asked,
        ...toolchain,
        traceFile: join(dirname(start.logPath), traceFileName),
      }),
      env: serverEnvironment({
        ...toolchain,
        ...{ env, engineId },
        repository: asIs === true ? repository : undefined,
      }),
      isWrapped: false,
    };
  }
  const command = serverArguments({ ...asked, program: 'tritonserver', backends: null });
  return {
    argv: program.inContainer(command, repository),
    // Container runtimes need the node's variables.
    env: { ...env, ...containerEnvironment(env, engineId) },
    isWrapped: true,
  };
}

/** Starts Triton in its own process group; output goes to a capped log. */
export async function launchServer(input: LaunchInput): Promise<ServerProcess> {
  const { start, records } = input;
  const id = randomBytes(16).toString('hex');
  const { argv, env, isWrapped } = startOf(input, id);
  const [program, ...args] = argv;
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
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  output.follow(child.stdout, child.stderr);
  const ended = new Promise<Pick<ServerExit, 'exitCode' | 'signal'>>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const clean = async () => {
    // A record is kept until its processes are gone, so that a later sweep retries.
    await endEngineProcesses(id).then(
      () => removeEngineRecord(records, id),
      () => undefined,
    );
    await output.close();
  };
  let pid: number;
  try {
    pid = await spawned(child, program);
    const startTime = processStartTime(pid);
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
    listeners: () => (isWrapped ? processesOfEngine(id) : Promise.resolve([pid])),
    exited,
    readMemory: async () => memoryOfProcesses(await processesOfEngine(id)),
    readProcesses: async () => readProcesses(await processesOfEngine(id)),
    kill,
    tail: () => output.tail(),
    stop: async () => {
      // Not to the group: Triton waits for stubs that end before it asks them to.
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
