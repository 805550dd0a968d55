import { join } from 'node:path';
import { fromWire, WorkbenchError } from '../../contract/errors';
import type { LoadPoint } from '../../contract/measured/results';
import { fileLimits } from '../../contract/reader-limits';
import { type LoadTool as LoadToolId, loadTools, type PerformanceSpec } from '../../contract/run/run-spec';
import { levelText } from '../../contract/words';
import type { ContainerEnd } from '../../docker/run-container';
import {
  type LoadProcessJob,
  loadProcessLineSchema,
  loadProcessResultSchema,
  type LoadTool,
  type MeasureInput,
} from '../../perf/load-tool';
import { hashValue, writeFileAtomic } from '../../platform/files';
import { jsonOrNull } from '../../platform/parse-json';
import { readPlainText } from '../../platform/plain-entry';

export interface ClientStep {
  readonly task: string;
  readonly command: readonly [string, ...string[]];
  readonly adoptable: boolean;
  /** The only folder that it may write to, absolute; absent: its step and the results. */
  readonly written?: string;
  readonly sharedMemory: PerformanceSpec['sharedMemory'];
  readonly signal: AbortSignal;
  readonly onCommand: (argv: readonly string[]) => Promise<void> | void;
  readonly onStdoutLine: (line: string) => void;
  readonly onStderrLine: (line: string) => void;
}

type RunClientStep = (step: ClientStep) => Promise<ContainerEnd>;

async function readResult(path: string, end: ContainerEnd, where: string): Promise<LoadPoint> {
  let text: string;
  try {
    text = await readPlainText(path, fileLimits.stepJson.bytes);
  } catch (cause) {
    if (cause instanceof WorkbenchError) throw cause;
    throw new WorkbenchError(
      end.oomKilled ? 'out-of-memory' : 'load-tool-failed',
      `The container of the load tool ended with exit code ${end.exitCode} and no result`,
      { where, details: end.tail.slice(-40).join('\n'), cause },
    );
  }
  const result = loadProcessResultSchema.parse(JSON.parse(text));
  if (!result.ok) throw fromWire(result.error);
  // A failed process has no result; one of an earlier attempt must not be read.
  if (end.exitCode !== 0) {
    throw new WorkbenchError(
      'load-tool-failed',
      `The load tool's container ended with exit code ${end.exitCode}`,
      { where, details: end.tail.slice(-40).join('\n') },
    );
  }
  return result.point;
}

function containerLoadTool(
  id: LoadToolId,
  runClient: RunClientStep,
  toContainer: (path: string) => string,
): LoadTool {
  return {
    id,
    async measure(input: MeasureInput): Promise<LoadPoint> {
      const { signal, onWindow, onLog, onCommand, ...measure } = input;
      const { batchSize, concurrency, requestRate } = input.level;
      const seen = {
        ...measure,
        // The tokenizer stays here: in the container answers are counted.
        countTokens: undefined,
        inputDataDir: toContainer(input.inputDataDir),
        workDir: toContainer(input.workDir),
        ...(input.replayFile === undefined ? {} : { replayFile: toContainer(input.replayFile) }),
      };
      // After a restart the same level has the same name, by which its container and result are found.
      const name = `measure-${hashValue([id, seen]).slice(0, 12)}`;
      const resultFile = join(input.workDir, `${name}.result.json`);
      const jobFile = join(input.workDir, `${name}.job.json`);
      const job: LoadProcessJob = { tool: id, measure: seen, resultFile: toContainer(resultFile) };
      await writeFileAtomic(jobFile, JSON.stringify(job));
      const end = await runClient({
        task: `b${batchSize}-c${concurrency}${requestRate === undefined ? '' : `-r${requestRate}`}`,
        command: ['node', '/workbench/app/load-process.cjs', toContainer(jobFile)],
        adoptable: true,
        written: input.workDir,
        sharedMemory: input.settings.sharedMemory ?? 'none',
        signal,
        onCommand,
        onStdoutLine: (line) => {
          const parsed = loadProcessLineSchema.safeParse(jsonOrNull(line));
          if (!parsed.success) onLog([line]);
          else if (parsed.data.type === 'window') onWindow(parsed.data.window, parsed.data.index);
          else if (parsed.data.type === 'log') onLog(parsed.data.lines);
          else onCommand(parsed.data.argv);
        },
        onStderrLine: (line) => onLog([line]),
      });
      if (end.aborted) throw new WorkbenchError('cancelled', 'Measuring was cancelled');
      return readResult(resultFile, end, levelText(input.level));
    },
  };
}

/** Each level in its own container, which outlives this process. */
export function createContainerLoadTools(
  runClient: RunClientStep,
  toContainer: (path: string) => string,
): Readonly<Record<LoadToolId, LoadTool>> {
  const entries = loadTools.map((id) => [id, containerLoadTool(id, runClient, toContainer)] as const);
  return Object.fromEntries(entries) as Record<LoadToolId, LoadTool>;
}
