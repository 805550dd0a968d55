import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  readLocalToolchain,
  serverArguments,
  serverEnvironment,
} from '../../../main/engine/local/server-command';
import { parseAnalyzerCsv } from '../../../main/perf/analyzer/parse-analyzer-output';
import { homeLayout } from '../../../main/platform/layout';
import { formatConfigPbtxt, parseConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import { freePorts } from '../../../test/support/triton';
import { until } from '../../../test/support/until';
import { shuffled } from '../bench-facts';
import { runGroup, startGroup } from './child-group';
import type { AnalyzerPlaces, Winner } from './model-analyzer';

/** What perf_analyzer measured of a winner. */
export interface WinnerLevel {
  readonly inferencesPerSecond: number;
  readonly p99Us: number;
}

/** Three windows of two seconds, whatever their spread: a winner that is not steady has to have a row too. */
const windows = ['-p', '2000', '-r', '3', '-s', '1000000'] as const;

async function placeModels(
  { models }: AnalyzerPlaces,
  repository: string,
  winners: ReadonlyMap<string, Winner>,
): Promise<void> {
  for (const [name, { instances, maxBatchSize }] of winners) {
    await cp(join(models, 'wide'), join(repository, name), { recursive: true });
    const file = join(repository, name, 'config.pbtxt');
    const config = parseConfigPbtxt(await readFile(file, 'utf8'));
    const instanceGroup = [{ kind: 'KIND_CPU' as const, count: instances }];
    await writeFile(file, formatConfigPbtxt({ ...config, name, maxBatchSize, instanceGroup }));
  }
}

/** Serves the winners on one Triton and measures each so many times, in turns. */
export async function measureWinners(
  places: AnalyzerPlaces,
  winners: ReadonlyMap<string, Winner>,
  repeats: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly WinnerLevel[]>> {
  const dir = await mkdtemp(join(places.home, 'winners-'));
  const layout = homeLayout(places.home);
  const repository = join(dir, 'models');
  await mkdir(repository);
  await placeModels(places, repository, winners);
  const toolchain = await readLocalToolchain(layout);
  const [httpPort, grpcPort, metricsPort] = await freePorts(3);
  const engineId = 'search-peers';
  const server = await startGroup({
    argv: serverArguments({
      ...{ program: toolchain.program, backends: toolchain.backends, repository, engineId },
      ...{ httpPort, grpcPort, metricsPort, loadAll: true },
    }),
    env: serverEnvironment({ ...toolchain, env: process.env, engineId }),
    ...{ cwd: dir, log: join(dir, 'triton.log') },
  });
  const levels = new Map<string, WinnerLevel[]>([...winners.keys()].map((name) => [name, []]));
  try {
    await until('the winners are served', async () => {
      signal.throwIfAborted();
      const answer = await fetch(`http://127.0.0.1:${httpPort}/v2/health/ready`).catch(() => null);
      return answer?.ok === true;
    });
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      for (const [name, { concurrency }] of shuffled([...winners])) {
        const csv = join(dir, 'level.csv');
        const range = `${concurrency}:${concurrency}`;
        await runGroup(
          {
            argv: [
              layout.perfAnalyzer,
              ...['-m', name, '-u', `127.0.0.1:${grpcPort}`, '-i', 'grpc', '-b', '1', '--async'],
              ...['--concurrency-range', range, ...windows, '-f', csv, '--verbose-csv'],
            ],
            env: { ...process.env, LD_LIBRARY_PATH: layout.perfAnalyzerLibraries },
            ...{ cwd: dir, log: join(dir, 'level.log') },
          },
          signal,
        );
        const { columns } = parseAnalyzerCsv(await readFile(csv, 'utf8'));
        levels.get(name)?.push(columns);
      }
    }
    return levels;
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  }
}
