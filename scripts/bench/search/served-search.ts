import { availableParallelism, freemem } from 'node:os';
import { join } from 'node:path';
import type { Look, Searched, SearchRequest, SearchStrategy } from '../../../main/contract/study/search';
import type { SearchPlan } from '../../../main/contract/study/study';
import { sameValue } from '../../../main/contract/trees';
import { type CoreParts, createCoreParts } from '../../../main/core/core-parts';
import { contestOf } from '../../../main/core/search/contests';
import { verifiedRun } from '../../../main/core/server-calls';
import { type DueLook, nextLooks } from '../../../main/domain/study/search/next-looks';
import { planSearch } from '../../../main/domain/study/search/plan-search';
import { formatOf } from '../../../main/formats/formats';
import { makeFolder } from '../../../main/platform/files';
import { driveSearch } from '../../../main/studies/search/drive-search';
import { measureLook } from '../../../main/studies/search/measure-look';
import { Variants } from '../../../main/studies/search/search-variants';
import { createStudyStops } from '../../../main/studies/study-hands';
import type { WideHome } from './wide-home';

/** The product's own Triton with the candidates of a search. */
export interface ServedSearch {
  /** Measures once, as the search does, whatever is due. */
  readonly measure: (due: DueLook) => Promise<Look>;
  /** Searches from nothing, the same candidates in any order. @param onLook hears of each measurement */
  readonly search: (search: SearchStrategy, onLook?: (look: Look) => void) => Promise<Searched>;
}

/** The model of the bench in the product's parts. */
export interface SearchBench {
  readonly plan: (request: Omit<SearchRequest, 'runId'>) => SearchPlan;
  /** Serves the candidates while the work is done; the server is ended with it. */
  readonly serving: <Result>(
    plan: SearchPlan,
    work: (served: ServedSearch) => Promise<Result>,
  ) => Promise<Result>;
}

async function serve<Result>(
  parts: CoreParts,
  { search, spec: studySpec }: SearchPlan,
  signal: AbortSignal,
  work: (served: ServedSearch) => Promise<Result>,
): Promise<Result> {
  const contest = await contestOf(parts, studySpec);
  const { spec } = contest.run.source;
  const { name } = studySpec;
  const dir = join(parts.layout.studies, name);
  await makeFolder(join(dir, 'repository'));
  const framework = formatOf(spec.format).shimFramework ?? 'pyt';
  const executor = await parts.engines.openExecutor(spec, {
    ...{ runId: name, dir, framework, step: () => 'deploy' },
  });
  const variants = new Variants({
    ...{ variants: contest.variants, name, dir, signal },
    readRoom: () => Promise.resolve({ hostBytes: freemem(), gpuBytes: null }),
    startServer: (start) => executor.startServer(start),
    readMemory: () => Promise.resolve({ hostBytes: null, gpuBytes: null }),
  });
  /** Its place among those that are served. */
  const numberOf = (strategy: SearchStrategy, number: number): number =>
    1 + search.candidates.findIndex((one) => sameValue(one, strategy.candidates[number - 1]));
  const measure = async (strategy: SearchStrategy, due: DueLook): Promise<Look> => {
    const number = numberOf(strategy, due.candidate);
    const served = await variants.serve(number);
    return measureLook(() => contest.lookOf(number), due, [served], { dir, signal, watchGpus: null });
  };
  try {
    return await work({
      measure: (due) => measure(search, due),
      search: (strategy, onLook) =>
        driveSearch({
          ...{ ...contest.looking, searched: { looks: [], failed: {} }, stops: createStudyStops() },
          next: (searched) => nextLooks(strategy, searched),
          variants: {
            serve: (number) => variants.serve(numberOf(strategy, number)),
            restart: () => variants.restart(),
          },
          measure: (due) => measure(strategy, due),
          record: (body) => {
            signal.throwIfAborted();
            if (body.type === 'look') onLook?.(body.look);
            return Promise.resolve();
          },
        }),
    });
  } finally {
    await variants.close();
    await executor.release();
  }
}

/** Opens the finished run of a bench's home. @param signal ends what is measured; the server is ended all the same */
export async function openSearchBench(wide: WideHome, signal: AbortSignal): Promise<SearchBench> {
  const bundles = join(wide.app, 'out', 'main');
  const parts = await createCoreParts({
    ...{ home: wide.home, resources: join(wide.app, 'resources'), version: 'bench', env: wide.env },
    ...{ workerFile: join(bundles, 'load-worker.cjs'), readerFile: join(bundles, 'reader-process.cjs') },
    ...{ printPdf: () => Promise.reject(new Error('A bench prints no PDF')), electron: null },
  });
  const { state } = await verifiedRun(parts, wide.runId, false);
  return {
    plan: (request) =>
      planSearch(
        state,
        { ...request, runId: wide.runId, name: 'search-bench' },
        { onGpu: false, processors: availableParallelism() },
      ),
    serving: (plan, work) => serve(parts, plan, signal, work),
  };
}
