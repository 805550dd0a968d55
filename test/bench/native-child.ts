import { readFile, writeFile } from 'node:fs/promises';
import type { LoadPoint } from '../../main/contract/results';
import type { MeasureInput } from '../../main/perf/load-tool';
import { measureLevel } from '../../main/perf/native/measure-level';

/** What the bench hands to the process that measures with the native generator. */
export interface ChildInput {
  readonly workerFile: string;
  readonly measure: Omit<MeasureInput, 'signal' | 'onWindow' | 'onLog' | 'onCommand'>;
}

/** What it measured. */
export interface ChildOutput {
  readonly point: LoadPoint;
  /** Answered with success, warm-up included. */
  readonly requests: number;
  readonly cpuUs: number;
  readonly memoryBytes: number;
}

// A process of its own, so that its CPU time is the generator's alone. Arguments: input file, output file.
const [, , inputFile = '', outputFile = ''] = process.argv;
const input = JSON.parse(await readFile(inputFile, 'utf8')) as ChildInput;
const before = process.cpuUsage();
const { point, totals } = await measureLevel(input.workerFile, {
  ...input.measure,
  signal: new AbortController().signal,
  onWindow: () => undefined,
  onLog: () => undefined,
  onCommand: () => undefined,
});
const { user, system } = process.cpuUsage(before);
const output: ChildOutput = {
  point,
  requests: totals.succeeded,
  cpuUs: user + system,
  memoryBytes: process.resourceUsage().maxRSS * 1024,
};
await writeFile(outputFile, JSON.stringify(output));
