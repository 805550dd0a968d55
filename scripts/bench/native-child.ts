import { readFile, writeFile } from 'node:fs/promises';
import type { LoadPoint } from '../../main/contract/measured/results';
import { createCpuMarks } from '../../main/perf/analyzer/run-analyzer';
import type { MeasureInput } from '../../main/perf/load-tool';
import { measureLevel } from '../../main/perf/native/level/measure-level';

/** What the bench hands to the process that measures with the built-in load generator. */
export interface ChildInput {
  readonly workerFile: string;
  readonly measure: Omit<MeasureInput, 'signal' | 'onWindow' | 'onLog' | 'onCommand'>;
}

/** What it measured. */
export interface ChildOutput {
  readonly point: LoadPoint;
  /** Answered with success, warm-up included. */
  readonly requests: number;
  /** Of the whole process, from its first line to its last. */
  readonly cpuUs: number;
  /** Of the whole process for each request, once it runs: by the rule that perf_analyzer is measured by. */
  readonly warmCpuUs: number | null;
  readonly memoryBytes: number;
}

// A process of its own, so that its CPU time is the generator's alone. Arguments: input file, output file.
const [, , inputFile = '', outputFile = ''] = process.argv;
const input = JSON.parse(await readFile(inputFile, 'utf8')) as ChildInput;
const marks = createCpuMarks();
marks.started(process.pid);
const { point, totals } = await measureLevel(input.workerFile, {
  ...input.measure,
  signal: new AbortController().signal,
  onWindow: () => {
    marks.windowEnded();
  },
  onLog: () => undefined,
  onCommand: () => undefined,
});
const { user, system } = process.cpuUsage();
const output: ChildOutput = {
  point,
  requests: totals.succeeded,
  cpuUs: user + system,
  warmCpuUs: marks.perRequestUs(point.inferencesPerSecond),
  memoryBytes: process.resourceUsage().maxRSS * 1024,
};
await writeFile(outputFile, JSON.stringify(output));
