import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../../contract/errors';
import { LineSplitter, readGently } from '../../platform/lines';
import { LogFile } from '../../platform/log-file';
import { fileError } from '../../platform/plain-entry';
import { ownIdentity, ownPlace, processStartTime } from '../../platform/process';
import type { ServerExit, StartServerInput } from '../engine';
import type { InContainer } from '../job';
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

/** After the end of the server; something that it started may hold its pipes open. */
const endPatienceMs = 500;

/**
 * What a server prints, from its pipes into its log. Pipes, not the file itself: a flood would fill the disk, while a full
 * pipe makes the server wait for the log, as a terminal would.
 */
class ServerOutput {
  private read: Promise<unknown> = Promise.resolve();
  private streams: readonly Readable[] = [];

  private constructor(private readonly log: TritonLog) {}

  /** Appends to the log. Throws file-unwritable, disk-full: a link in its place would lead the output to another file. */
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

  /** The last lines so far, oldest first. */
  tail(): readonly string[] {
    return [...this.log.tail];
  }

  /** To be called once, before the next turn of the event loop. */
  follow(...streams: readonly Readable[]): void {
    this.streams = streams;
    this.read = Promise.all(streams.map((stream) => this.readLines(stream)));
  }

  /** To be called when the server has ended: waits for the rest of what it printed. */
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

/** Triton itself waits up to 5 s for requests in flight and for models to unload. */
const stopGraceMs = 8000;

export interface ServerProcess {
  readonly pid: number;
  /** Which of its processes may listen on its ports. */
  listeners(): Promise<readonly number[]>;
  /** Settles when the server has ended and nothing of it is left: processes, shared memory, record. */
  readonly exited: Promise<ServerExit>;
  /** The last lines of the log so far. */
  tail(): readonly string[];
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): Promise<void>;
}

/** The Triton of the home, or one in a container of a runtime that starts it as a child. */
export type ServerProgram =
  | { readonly toolchain: LocalToolchain; readonly inContainer?: undefined }
  | { readonly inContainer: InContainer };

export interface LaunchInput {
  readonly program: ServerProgram;
  readonly env: NodeJS.ProcessEnv;
  /** Folder of the engine records. */
  readonly records: string;
  readonly start: StartServerInput;
}

/** Its process id. Throws server-start-failed. */
export function spawned(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (cause) => {
      const message = `${program} cannot be started: ${cause.message}`;
      reject(new WorkbenchError('server-start-failed', message, { cause }));
    });
  });
}

/** The command that starts the server, and its environment. */
function startOf({ program, env, start }: LaunchInput, engineId: string) {
  const { repository, httpPort, grpcPort } = start;
  const asked = { repository, engineId, httpPort, grpcPort };
  if (program.inContainer === undefined) {
    const { toolchain } = program;
    return {
      argv: serverArguments({ ...asked, program: toolchain.program, backends: toolchain.backends }),
      env: serverEnvironment({ ...toolchain, env, engineId }),
      isWrapped: false,
    };
  }
  const command = serverArguments({ ...asked, program: 'tritonserver', backends: null });
  return {
    argv: program.inContainer(command, repository),
    // The runtimes are found, and find their job, by the node's own variables.
    env: { ...env, ...containerEnvironment(env, engineId) },
    isWrapped: true,
  };
}

/** Starts Triton in a process group of its own; its output goes to the log file, up to the cap of a log. */
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
