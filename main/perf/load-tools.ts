import type { LoadTool as LoadToolId } from '../contract/run-spec';
import type { HomeLayout } from '../platform/layout';
import type { LoadTool } from './load-tool';
import { createNativeTool } from './native.load-tool';
import { createPerfAnalyzerTool } from './perf-analyzer.load-tool';

export interface LoadToolsOptions {
  readonly layout: Pick<HomeLayout, 'perfAnalyzer' | 'perfAnalyzerLibraries'>;
  /** Bundled entry of the native generator's worker thread. */
  readonly workerFile: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Every load tool by its id. */
export function createLoadTools(options: LoadToolsOptions): Readonly<Record<LoadToolId, LoadTool>> {
  return {
    native: createNativeTool({ workerFile: options.workerFile }),
    perf_analyzer: createPerfAnalyzerTool({
      binary: options.layout.perfAnalyzer,
      libraryPath: options.layout.perfAnalyzerLibraries,
      env: options.env,
    }),
  };
}
