import type { Environment, LoadPoint } from '../contract/measured/results';
import type { ImportSource } from '../contract/run/imported';
import type { JournalBody } from '../contract/run/run-events';
import { scenarioOfLevels } from '../contract/run/server-load';
import { loadKey } from '../contract/run/sweep';
import { hashValue } from '../platform/files';
import type { RunStore } from './run-store';

interface ImportedFigures {
  readonly source: ImportSource;
  readonly model: string;
  readonly points: readonly LoadPoint[];
}

/** Unknown machine except for GPUs that the tool named. */
function unknownEnvironment({ points }: ImportedFigures, workbenchVersion: string): Environment {
  const gpus = new Map(points.flatMap(({ gpus: all = [] }) => all.map((gpu) => [gpu.uuid, gpu] as const)));
  return {
    workbenchVersion,
    engine: '',
    tritonVersion: null,
    image: null,
    images: [],
    os: '',
    cpu: '',
    cpuCount: 0,
    memoryBytes: 0,
    gpus: [...gpus.values()].map(({ uuid, totalMemoryBytes }) => ({
      name: '',
      uuid,
      memoryBytes: Math.round(totalMemoryBytes ?? 0),
      driver: '',
    })),
    packages: {},
  };
}

/** Stores figures as a finished, imported run. @returns its id */
export async function importRun(
  store: RunStore,
  figures: ImportedFigures,
  workbenchVersion: string,
): Promise<string> {
  const environment = unknownEnvironment(figures, workbenchVersion);
  const { state } = await store.createImported(figures.source, figures.model, environment);
  const { runId } = state;
  const scenario = scenarioOfLevels(figures.points);
  const measured = figures.points.map((point): JournalBody => {
    const key = hashValue([figures.source.sha256, loadKey(point)]).slice(0, 32);
    return { type: 'measurement', scenario, key, point };
  });
  await store.appendAll(runId, [...measured, { type: 'run-finished', outcome: 'done' }]);
  return runId;
}
