import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { endProcesses, processesWhere } from '../../../main/platform/process';

interface Program {
  readonly argv: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Its output, both streams. */
  readonly log: string;
}

interface StartedGroup {
  /** The exit code; null: ended by a signal. */
  readonly ended: Promise<number | null>;
  /** Ends it with all that it started, also in sessions of their own: Model Analyzer leaves its Triton there. */
  readonly stop: () => Promise<void>;
}

const mark = 'BENCH_PROCESS_GROUP';
const endMs = 20_000;

/** Starts a program that can be ended with all its processes. */
export async function startGroup({ argv, env, cwd, log }: Program): Promise<StartedGroup> {
  const [program, ...args] = argv;
  const id = randomUUID();
  const file = await open(log, 'w');
  const child = spawn(program, args, {
    ...{ cwd, env: { ...env, [mark]: id }, detached: true },
    stdio: ['ignore', file.fd, file.fd],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
  await file.close();
  return {
    ended,
    stop: async () => {
      await endProcesses(() => processesWhere(mark, (value) => value === id), endMs);
    },
  };
}

/** Runs it to its end, with all that it left behind ended too. @returns seconds. Throws with its last lines. */
export async function runGroup(program: Program, signal: AbortSignal): Promise<number> {
  const start = performance.now();
  const { ended, stop } = await startGroup(program);
  const abort = () => void stop();
  signal.addEventListener('abort', abort);
  try {
    const code = await ended;
    const seconds = (performance.now() - start) / 1000;
    signal.throwIfAborted();
    if (code === 0) return seconds;
    const text = await readFile(program.log, 'utf8');
    throw new Error(`${program.argv[0]} ended with ${code ?? 'a signal'}:\n${text.slice(-3000)}`);
  } finally {
    signal.removeEventListener('abort', abort);
    await stop();
  }
}
