import { visibleGpus } from '../contract/run/engine-kinds';
import type { RunSpec } from '../contract/run/run-spec';
import type { AnalyzerConfig, AnalyzerRun } from '../contract/study/analyzer-config';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';
import { verifiedRun } from './server-calls';

function analyzerRun({ configure, engine, performance }: RunSpec): AnalyzerRun {
  const { modelName, instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads } =
    configure;
  return {
    modelName,
    present: { instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads },
    onGpu: (visibleGpus(engine) ?? []).length > 0,
    protocol: performance.online?.protocol ?? performance.protocol,
  };
}

/** Reads a configuration of Model Analyzer against the run that is to be searched. */
export const fromAnalyzer =
  (parts: CoreParts): TrustedCalls['searches.fromAnalyzer'] =>
  async ({ runId, text, fileName, model }): Promise<AnalyzerConfig> => {
    const { state } = await verifiedRun(parts, runId, false);
    const run = analyzerRun(state.source.spec);
    return parts.reading.readers.analyzerConfig({ text, fileName, model, run });
  };
