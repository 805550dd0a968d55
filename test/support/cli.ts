import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { runDocument } from '../../main/cli/json/run-document';
import { repository } from './home';
import { documentsOf, schemaProblems } from './json-schemas';

export type RunDocument = ReturnType<typeof runDocument>;

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliRun {
  readonly child: ChildProcess;
  readonly result: Promise<CliResult>;
  /** Resolves with the first line on stderr that matches; rejects when the program ends without one. */
  line(pattern: RegExp): Promise<string>;
}

/** Starts the built CLI in a home; `within`: a program with its arguments that takes its place by it. */
export function startCli(
  home: string,
  args: readonly string[],
  within: readonly string[] = [],
  environment = process.env,
): CliRun {
  const own = [process.execPath, join(repository, 'out', 'main', 'cli.cjs'), ...args];
  const [program = '', ...rest] = [...within, ...own];
  const child = spawn(program, rest, {
    // Not the defaults of whoever runs the tests.
    env: { ...environment, TRITON_WORKBENCH_HOME: home, XDG_CONFIG_HOME: join(home, 'no-config') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  const result = new Promise<CliResult>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      for (const watch of watchers) watch();
    });
    child.once('close', (code) => {
      // What a script reads is what the schemas say, whatever else a test looks at.
      const problems = documentsOf(args, stdout).map((one) => schemaProblems(args, one));
      const wrong = problems.find((problem) => problem !== '');
      if (wrong === undefined) resolve({ code, stdout, stderr });
      else reject(new Error(`the JSON of "${args.join(' ')}" is not of its schema: ${wrong}`));
      for (const watch of watchers) watch();
    });
  });
  return {
    child,
    result,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          const found = stderr.split('\n').find((line) => pattern.test(line));
          if (found !== undefined) resolve(found);
          else if (child.exitCode !== null || child.signalCode !== null) {
            reject(new Error(`the program ended without a line ${String(pattern)}:\n${stderr}`));
          } else return;
          watchers.delete(watch);
        };
        watchers.add(watch);
        watch();
      }),
  };
}

export function cli(home: string, ...args: readonly string[]): Promise<CliResult> {
  return startCli(home, args).result;
}

/** The one document of `--json`; its text must be the whole of stdout. */
export function documentOf(result: CliResult): RunDocument {
  return JSON.parse(result.stdout) as RunDocument;
}
