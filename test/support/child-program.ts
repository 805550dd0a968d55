import { type ChildProcess, spawn } from 'node:child_process';
import { basename, join } from 'node:path';
import { build } from 'vite';
import { repository } from './home';

export interface RunningChild {
  readonly process: ChildProcess;
  /** Lines of stdout so far. */
  readonly lines: readonly string[];
  readonly ended: Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

/** Bundles `test/support/children/<name>.ts` for a process of its own: Node does not read TypeScript. */
export async function bundleChild(name: string, outDir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join(repository, 'test', 'support', 'children', `${name}.ts`),
      outDir,
      emptyOutDir: false,
      target: 'node18',
      rolldownOptions: { external: [/\.node$/], output: { format: 'cjs', entryFileNames: '[name].cjs' } },
    },
  });
  return join(outDir, `${basename(name)}.cjs`);
}

/** Starts a bundled child program. */
export function startChild(file: string, args: readonly string[]): RunningChild {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
    });
  });
  return {
    process: child,
    lines,
    ended,
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
