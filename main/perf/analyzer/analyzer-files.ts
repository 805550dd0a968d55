import { join } from 'node:path';

/** What perf_analyzer reads and writes in the folder of a level. */
export function analyzerFiles(workDir: string): {
  readonly inputDir: string;
  readonly inputJson: string;
  readonly csvPath: string;
  readonly intervalsPath: string;
} {
  return {
    inputDir: join(workDir, 'input'),
    inputJson: join(workDir, 'input.json'),
    csvPath: join(workDir, 'perf_analyzer.csv'),
    intervalsPath: join(workDir, 'intervals.txt'),
  };
}
