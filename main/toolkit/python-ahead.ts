import type { Writable } from 'node:stream';
import { startChild } from '../platform/children';
import { type GroupChild, killGroup } from '../platform/exec';

/** An interpreter that has imported what it will need and waits for a verb with its arguments on stdin. */
type StandingBy = GroupChild & { readonly stdin: Writable };

/** Keeps one interpreter ahead of a run's verbs: importing torch takes longer than many of them. */
export interface PythonAhead {
  /** Starts the one for the verb that usually follows `words`, the words after `-m toolkit`; none after the last. */
  prepare(
    python: string,
    place: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
    words: readonly string[],
  ): void;
  /** Hands `words` to the interpreter that stands by, which is the caller's to follow; null: start a new one. */
  take(python: string, words: readonly string[]): GroupChild | null;
  /** Ends the one that stands by. */
  close(): void;
}

/** `runtime`: the packages that run the model itself. */
function importsAfter(
  [verb = '', ...args]: readonly string[],
  runtime: readonly string[],
): readonly string[] | null {
  switch (verb) {
    case 'make-dataset':
      return runtime;
    case 'load-checkpoint':
    case 'train':
      return [...runtime, 'onnx'];
    case 'export':
      return args.includes('onnx') ? ['onnx', 'onnxruntime'] : runtime;
    case 'convert':
      return runtime;
    case 'infer-framework':
      return ['tritonclient.grpc'];
    case 'infer-triton':
    case 'verify':
    case 'metrics':
      return ['numpy'];
    default:
      return null;
  }
}

/**
 * `runtime`: packages that run the model; "framework" is torch or tensorflow, whichever that Python has.
 * The one that stands by ends with the process that started it: its stdin closes then.
 */
export function createPythonAhead(runtime: readonly string[]): PythonAhead {
  let waiting: { readonly child: StandingBy; readonly python: string } | null = null;
  const drop = () => {
    const pid = waiting?.child.pid;
    waiting = null;
    if (pid !== undefined) killGroup(pid, 'SIGKILL');
  };
  return {
    prepare(python, { env, cwd }, words) {
      const imports = importsAfter(words, runtime);
      if (imports === null) return;
      drop();
      const child = startChild(python, ['-m', 'toolkit', '--ahead', ...imports], {
        env,
        cwd,
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      // One that cannot start or ends early is not missed: `take` sees it, and the verb starts as any other.
      child.on('error', () => undefined);
      child.stdin.on('error', () => undefined);
      waiting = { child, python };
    },
    take(python, words) {
      if (waiting === null) return null;
      const { child } = waiting;
      const isAlive = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
      if (!isAlive || waiting.python !== python) {
        drop();
        return null;
      }
      waiting = null;
      child.stdin.end(`${JSON.stringify(words)}\n`);
      return child;
    },
    close: drop,
  };
}
