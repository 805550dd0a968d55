import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire } from '../contract/errors';
import { writeFileAtomic } from '../platform/files';
import type { LoadProcessJob, LoadProcessLine, LoadProcessResult, MeasureInput } from './load-tool';
import { createLoadTools } from './load-tools';

const say = (line: LoadProcessLine) => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

/**
 * Process that measures one level and writes the result to a file, so that its starter can restart meanwhile. Argument:
 * the job file. Progress goes to stdout as JSON lines.
 */
async function main(): Promise<void> {
  const [, , jobFile = ''] = process.argv;
  const job = JSON.parse(await readFile(jobFile, 'utf8')) as LoadProcessJob;
  await rm(job.resultFile, { force: true });
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => abort.abort());
  }
  const tools = createLoadTools({
    layout: { perfAnalyzer: 'perf_analyzer', perfAnalyzerLibraries: process.env['LD_LIBRARY_PATH'] ?? '' },
    workerFile: join(__dirname, 'load-worker.cjs'),
    env: process.env,
  });
  const input: MeasureInput = {
    ...job.measure,
    signal: abort.signal,
    onWindow: (window, index) => say({ type: 'window', window, index }),
    onLog: (lines) => say({ type: 'log', lines }),
    onCommand: (argv) => say({ type: 'command', argv }),
  };
  let result: LoadProcessResult;
  try {
    result = { ok: true, point: await tools[job.tool].measure(input) };
  } catch (error) {
    result = { ok: false, error: toWire(error) };
  }
  await writeFileAtomic(job.resultFile, JSON.stringify(result));
  // A hanging child of a load tool must not keep the container alive.
  process.exit(result.ok ? 0 : 1);
}

void main();
