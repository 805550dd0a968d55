import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { LoadTool } from '../../../main/perf/load-tool';
import { median } from '../pairs';
import { levelOf, type ServedModel } from './served-model';

/** Medians over all requests and all times between answers, milliseconds. */
export interface StreamTimes {
  readonly ttftMs: number;
  readonly itlMs: number;
  readonly requests: number;
}

const load = {
  endpoint: 'grpc-stream',
  prompts: ['fine'],
  outputTokens: 16,
  concurrency: 4,
  requests: 80,
} as const;

export async function measureOwnStream(
  tool: LoadTool,
  served: ServedModel,
  dir: string,
): Promise<StreamTimes> {
  const input = await levelOf(served, load, dir);
  const settings = { ...input.settings, generation: { endpoint: load.endpoint } };
  const { generation, requestCount } = await tool.measure({ ...input, settings });
  return {
    ttftMs: (generation?.timeToFirstToken?.p50Us ?? Number.NaN) / 1000,
    itlMs: (generation?.interTokenLatency?.p50Us ?? Number.NaN) / 1000,
    requests: requestCount ?? 0,
  };
}

/** Nanoseconds since 1970: as numbers they are exact to a quarter of a microsecond. */
const exportSchema = z.looseObject({
  experiments: z
    .array(
      z.looseObject({
        requests: z.array(z.looseObject({ timestamp: z.number(), response_timestamps: z.array(z.number()) })),
      }),
    )
    .min(1),
});

const ms = (nanoseconds: number): number => nanoseconds / 1e6;

/** The same requests by perf_analyzer, whose export has the time of each answer. */
export async function measureAnalyzerStream(
  tool: LoadTool,
  served: ServedModel,
  dir: string,
): Promise<StreamTimes> {
  const input = await levelOf(served, load, dir);
  const profileFile = join(input.workDir, 'export.json');
  // Requests to warm up with could be in its export.
  const settings = { ...input.settings, warmupRequestCount: 0 };
  await tool.measure({ ...input, settings, profileFile });
  const { experiments } = exportSchema.parse(JSON.parse(await readFile(profileFile, 'utf8')));
  // The last answer only ends the request: the model sends its flag apart.
  const requests = experiments
    .flatMap((experiment) => experiment.requests)
    .map(({ timestamp, response_timestamps: answers }) => ({
      timestamp,
      answers: answers.slice(0, load.outputTokens),
    }))
    .filter(({ answers }) => answers.length === load.outputTokens);
  const first = requests.map(({ timestamp, answers }) => ms((answers[0] ?? Number.NaN) - timestamp));
  const between = requests.flatMap(({ answers }) =>
    answers.slice(1).map((at, index) => ms(at - (answers[index] ?? Number.NaN))),
  );
  return { ttftMs: median(first), itlMs: median(between), requests: requests.length };
}
