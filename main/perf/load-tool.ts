import { z } from 'zod';
import type { RequestHeader, TlsFiles } from '../contract/address';
import type { InputData } from '../contract/measured/input-data';
import {
  type LoadPoint,
  loadPointSchema,
  type MeasurementWindow,
  windowSchema,
} from '../contract/measured/results';
import type { LoadTool as LoadToolId, PerformanceSpec, Protocol } from '../contract/run/run-spec';
import type { LoadLevel } from '../contract/run/sweep';
import { wireErrorSchema } from '../contract/wire-error';

/** What the process of `load-process.ts` is to do; paths and addresses as it sees them. */
export interface LoadProcessJob {
  readonly tool: LoadToolId;
  readonly measure: Omit<MeasureInput, 'signal' | 'onWindow' | 'onLog' | 'onCommand'>;
  readonly resultFile: string;
}

export const loadProcessLineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('window'), window: windowSchema, index: z.int().min(0) }),
  z.object({ type: z.literal('log'), lines: z.array(z.string()).readonly() }),
  z.object({ type: z.literal('command'), argv: z.array(z.string()).readonly() }),
]);
export type LoadProcessLine = z.infer<typeof loadProcessLineSchema>;

export const loadProcessResultSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), point: loadPointSchema }),
  z.object({ ok: z.literal(false), error: wireErrorSchema }),
]);
export type LoadProcessResult = z.infer<typeof loadProcessResultSchema>;

/** How a level is measured; what is left out has the schema's default. */
type LoadSettings = Pick<
  PerformanceSpec,
  | 'measurementMode'
  | 'measurementIntervalMs'
  | 'measurementRequestCount'
  | 'stabilityPercentage'
  | 'maxTrials'
  | 'warmupMs'
> &
  Partial<PerformanceSpec>;

export interface MeasureInput {
  /** `host:port`. */
  readonly httpAddress: string;
  readonly grpcAddress: string;
  /** null or absent: in the clear. */
  readonly httpTls?: TlsFiles | null | undefined;
  readonly grpcTls?: TlsFiles | null | undefined;
  /** Go with every request, over both protocols. */
  readonly headers?: readonly RequestHeader[] | undefined;
  readonly protocol: Protocol;
  readonly modelName: string;
  /** Model version as in the repository; '' lets the server choose. */
  readonly modelVersion: string;
  readonly inputData: InputData;
  /** Folder of the raw files that `inputData` names. */
  readonly inputDataDir: string;
  readonly level: LoadLevel;
  /** False for models with max_batch_size 0: tensors then have no batch dimension and the level's batch size is 1. */
  readonly batched: boolean;
  /** The model's configuration says that a request may have any number of answers; absent: the load tool looks, and refuses load that the model does not take. */
  readonly decoupled?: boolean | undefined;
  readonly settings: LoadSettings;
  /** What perf_analyzer is given besides. */
  readonly analyzerArguments?: readonly string[] | undefined;
  /** Where the times of single requests go, as perf_analyzer exports them; absent: they are not kept. */
  readonly profileFile?: string | undefined;
  /** A folder of its own for files of this level. */
  readonly workDir: string;
  readonly signal: AbortSignal;
  readonly onWindow: (window: MeasurementWindow, index: number) => void;
  readonly onLog: (lines: readonly string[]) => void;
  readonly onCommand: (argv: readonly string[]) => void;
}

/** A level that is measured a window at a time, while other levels have their turns in between. */
export interface LevelInTurns {
  /** Measures the next window. @returns the level's point of all windows so far; throws as {@link LoadTool.measure} does. */
  next(): Promise<LoadPoint>;
}

/** Measures one level. */
export interface LoadTool {
  readonly id: LoadToolId;
  /** An unsteady level is a result with its flags; throws load-tool-failed, server-unreachable, inference-failed or cancelled. */
  measure(input: MeasureInput): Promise<LoadPoint>;
  /**
   * Levels of several models at the same time, a result each; absent: the tool drives one model at a time.
   * Throws as `measure` does, when any of them gives nothing.
   */
  measureTogether?(inputs: readonly MeasureInput[]): Promise<readonly LoadPoint[]>;
  /** Begins a level in turns, without any load yet; absent: the tool measures a level as a whole. */
  levelInTurns?(input: MeasureInput): LevelInTurns;
}
