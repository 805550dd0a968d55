import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { WorkbenchError } from '../../main/contract/errors';
import { parseAnalyzerCsv } from '../../main/perf/analyzer/parse-analyzer-output';
import { unsteadyExitCode } from '../../main/perf/analyzer/run-analyzer';

/** A level as perf_analyzer delivered it, or why it gave no row. */
export type AnalyzerLevel = { readonly p95Us: number } | { readonly p95Us: null; readonly reason: string };

interface Ended {
  readonly code: number | string | null;
  readonly text: string;
}

function runToEnd(
  [program, ...args]: readonly [string, ...string[]],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? null), text: `${stdout}\n${stderr}` });
    });
  });
}

/** Its last line that says something. */
const lastLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .at(-1) ?? '';

/**
 * Runs perf_analyzer for one level, whose row it writes to `csv`. A level that it gives no row for is lost and not an
 * error: that is what the bench counts. Throws where the program could not be started at all.
 */
export async function analyzerLevel(level: {
  readonly argv: readonly [string, ...string[]];
  readonly csv: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}): Promise<AnalyzerLevel> {
  await rm(level.csv, { force: true });
  const { code, text } = await runToEnd(level.argv, level.cwd, level.env);
  if (typeof code === 'string') throw new Error(`${level.argv[0]} cannot be started: ${code}`);
  if (code !== 0) {
    const isUnsteady = code === unsteadyExitCode || text.includes('Failed to obtain stable');
    const ended = code === null ? 'ended by a signal' : `exit code ${code}`;
    return { p95Us: null, reason: isUnsteady ? 'not steady' : `${ended}: ${lastLine(text)}` };
  }
  const row = await readFile(level.csv, 'utf8').catch(() => '');
  try {
    return { p95Us: parseAnalyzerCsv(row).columns.p95Us };
  } catch (error) {
    if (error instanceof WorkbenchError) return { p95Us: null, reason: error.message };
    throw error;
  }
}
