import type { ConfigureSpec, Protocol } from '../run/run-spec';
import type { SearchRequest } from './search';

/** A line of a configuration of Model Analyzer, and what becomes of it. */
export interface AnalyzerLine {
  /** From 1. */
  readonly line: number;
  /** "profile_models.resnet.parameters.concurrency" */
  readonly option: string;
  readonly text: string;
}

/** The run that is searched from, or the model that is made one. */
export interface AnalyzerRun {
  readonly modelName: string;
  /** The model was read from the repository that the file names. */
  readonly isOfRepository?: boolean | undefined;
  readonly present: Pick<
    ConfigureSpec,
    'instances' | 'maxBatchSize' | 'batching' | 'preferredBatchSizes' | 'maxQueueDelayUs' | 'threads'
  >;
  readonly onGpu: boolean;
  readonly protocol: Protocol;
}

/** What a configuration of Model Analyzer asks a search for: every option of it is in `taken` or in `left`. */
export interface AnalyzerConfig {
  /** The one of the file's models that is searched. */
  readonly model: string;
  readonly request: Partial<Omit<SearchRequest, 'runId' | 'name' | 'budgetS'>>;
  readonly taken: readonly AnalyzerLine[];
  /** With the reason. */
  readonly left: readonly AnalyzerLine[];
}
