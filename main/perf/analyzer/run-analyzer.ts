import { type ErrorCode, WorkbenchError } from '../../contract/errors';
import { linkedAbort } from '../../platform/abort';
import { exec } from '../../platform/exec';
import { processCpuUs } from '../../platform/process';
import { stabilityWindows } from '../intervals';

const keptLines = 400;

/** Kills its process group after `silenceMs` without output. Throws cancelled, and toolchain-missing. */
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

/** Exit code for an unstable level, for which no row is written. */
export const unsteadyExitCode = 2;

interface AnalyzerEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** stdout and stderr interleaved. */
  readonly lines: readonly string[];
  /** Milliseconds of silence after which the watchdog killed it. */
  readonly silentMs: number | null;
}

const patterns: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /failed to connect|connection refused|connection reset|socket closed|couldn't connect|broken pipe|empty reply/i,
    'server-unreachable',
  ],
  [/Thread \[\d+\] had error|Failed to maintain requested inference load/, 'inference-failed'],
];

/** Error messages, most specific first. */
const reasons = [/had error: (.+)$/m, /^error: (.+)$/m, /cb::Error: (.+)$/m];

function reasonOf(text: string): string | null {
  for (const pattern of reasons) {
    const reason = pattern.exec(text)?.[1];
    if (reason !== undefined) return reason.trim();
  }
  return null;
}

const shownLines = 40;

/**
 * After a stall of the machine, Triton has dropped idle sequences (`max_sequence_idle_microseconds`, 1 s by default),
 * and a window without responses ends perf_analyzer. Such failures say nothing about the level.
 */
export function cameOfStandstill({ message }: WorkbenchError, hasSequences: boolean): boolean {
  const isLostSequence = hasSequences && message.includes('must specify the START flag');
  return isLostSequence || message.includes('No valid requests recorded');
}

/** null if exit code and output are fine. */
export function analyzerFailure(end: AnalyzerEnd, where: string): WorkbenchError | null {
  const text = end.lines.join('\n');
  const details = [
    end.exitCode === null ? `ended by ${end.signal ?? 'a signal'}` : `exit code ${end.exitCode}`,
    ...end.lines.slice(-shownLines),
  ].join('\n');
  if (end.silentMs !== null) {
    return new WorkbenchError(
      'load-tool-failed',
      `perf_analyzer was stopped: no output for ${Math.round(end.silentMs / 1000)} s`,
      { where, details },
    );
  }
  // SIGBUS: /dev/shm is full, which shows only when memory is written.
  if (end.signal === 'SIGBUS') {
    return new WorkbenchError('load-tool-failed', 'perf_analyzer was killed by SIGBUS: /dev/shm is full', {
      where,
      details,
      remedy:
        'Increase the shared memory of the Triton container (--shm-size-mib), or free /dev/shm if Triton runs without a container.',
    });
  }
  const found = patterns.find(([pattern]) => pattern.test(text));
  if (end.exitCode === 0 && found === undefined) return null;
  const reason = reasonOf(text);
  return new WorkbenchError(
    found?.[1] ?? 'load-tool-failed',
    reason === null
      ? `perf_analyzer failed (${end.exitCode === null ? (end.signal ?? 'signal') : `exit code ${end.exitCode}`})`
      : `perf_analyzer failed: ${reason}`,
    { where, details },
  );
}

interface Mark {
  readonly cpuUs: number;
  readonly atMs: number;
}

/** CPU time of perf_analyzer per window, without startup and the first window, whose beginning is unknown. */
export function createCpuMarks(now: () => number = () => performance.now()) {
  let pid: number | null = null;
  let marks: Mark[] = [];
  return {
    started: (id: number) => {
      pid = id;
      marks = [];
    },
    windowEnded: () => {
      const cpuUs = pid === null ? null : processCpuUs(pid);
      if (cpuUs !== null) marks.push({ cpuUs, atMs: now() });
    },
    /** Microseconds of CPU per request; null for fewer than two windows or a zero duration. */
    perRequestUs: (requestsPerSecond: number) => {
      const last = marks.slice(-stabilityWindows);
      const [from] = last;
      const to = last.at(-1);
      if (from === undefined || to === undefined || to.atMs <= from.atMs || requestsPerSecond <= 0)
        return null;
      return (to.cpuUs - from.cpuUs) / ((to.atMs - from.atMs) / 1000) / requestsPerSecond;
    },
  };
}
