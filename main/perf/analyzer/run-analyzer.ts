import { WorkbenchError } from '../../contract/errors';
import { linkedAbort } from '../../platform/abort';
import { exec } from '../../platform/exec';
import type { AnalyzerEnd } from './analyzer-failure';

const keptLines = 400;

/**
 * Runs one perf_analyzer to its end; without a line for `silenceMs` its process group is killed.
 * Throws cancelled, and toolchain-missing when the program cannot be started.
 */
export async function runAnalyzer(input: {
  readonly argv: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  readonly onStart?: (pid: number) => void;
  readonly onLine: (line: string) => void;
}): Promise<AnalyzerEnd> {
  const lines: string[] = [];
  const { controller, dispose } = linkedAbort(input.signal);
  const watchdog = { fired: false };
  const arm = () =>
    setTimeout(() => {
      watchdog.fired = true;
      controller.abort();
    }, input.silenceMs);
  let timer = arm();
  const take = (line: string) => {
    clearTimeout(timer);
    timer = arm();
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
    input.onLine(line);
  };
  try {
    const ended = await exec({
      argv: input.argv,
      env: input.env,
      cwd: input.cwd,
      signal: controller.signal,
      onStart: input.onStart,
      onStdoutLine: take,
      onStderrLine: take,
    });
    if (input.signal.aborted) throw new WorkbenchError('cancelled', 'Measuring was cancelled');
    return {
      exitCode: ended.exitCode,
      signal: ended.signal,
      lines,
      silentMs: watchdog.fired ? input.silenceMs : null,
    };
  } catch (error) {
    if (error instanceof WorkbenchError) throw error;
    throw new WorkbenchError('toolchain-missing', 'perf_analyzer could not be started', {
      where: input.argv[0],
      details: error instanceof Error ? error.message : String(error),
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    dispose();
  }
}
