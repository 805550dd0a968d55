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

/** Job of `load-process.ts`; paths and addresses are the process's. */
export interface LoadProcessJob {
  readonly tool: LoadToolId;
  readonly measure: Omit<MeasureInput, 'signal' | 'onWindow' | 'onLog' | 'onCommand' | 'countTokens'>;
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

/** Load settings; absent ones have the schema's default. */
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
  /** null or absent: no TLS. */
  readonly httpTls?: TlsFiles | null | undefined;
  readonly grpcTls?: TlsFiles | null | undefined;
  /** Where requests go, in place of the server's own address: a gateway before it. */
  readonly sentTo?: { readonly address: string; readonly tls?: TlsFiles | null | undefined } | undefined;
  /** Windows are looks of a comparison in turns: all of them count, with the parts of their latency. */
  readonly looks?: boolean | undefined;
  /** Another level follows at once, which can begin without the start of a load generator. */
  readonly keepsThread?: boolean | undefined;
  /** Sent with every request, over both protocols. */
  readonly headers?: readonly RequestHeader[] | undefined;
  readonly protocol: Protocol;
  readonly modelName: string;
  /** '' lets the server choose. */
  readonly modelVersion: string;
  readonly inputData: InputData;
  /** Folder of the files in `inputData`. */
  readonly inputDataDir: string;
  readonly level: LoadLevel;
  /** What was kept of the trace that `settings.replay` names. */
  readonly replayFile?: string | undefined;
  /** False for max_batch_size 0: tensors lack a batch dimension, and the batch size is 1. */
  readonly batched: boolean;
  /** Whether the model is decoupled; absent: the load tool reads the configuration, and refuses unsupported load. */
  readonly decoupled?: boolean | undefined;
  readonly settings: LoadSettings;
  readonly analyzerArguments?: readonly string[] | undefined;
  /** Where request times are exported in perf_analyzer's format; absent: not kept. */
  readonly profileFile?: string | undefined;
  /** Tokens of outputs where a language model's server reports none; absent: answers are counted. */
  readonly countTokens?: ((texts: readonly string[]) => Promise<readonly number[]>) | undefined;
  /** Folder for this level's files. */
  readonly workDir: string;
  readonly signal: AbortSignal;
  readonly onWindow: (window: MeasurementWindow, index: number) => void;
  readonly onLog: (lines: readonly string[]) => void;
  readonly onCommand: (argv: readonly string[]) => void;
}

/** A level measured window by window, with other levels in between. */
export interface LevelInTurns {
  /** Measures the next window. @returns the point of all windows so far; throws as {@link LoadTool.measure} */
  next(): Promise<LoadPoint>;
}

export interface LoadTool {
  readonly id: LoadToolId;
  /** Unstable levels have flags. Throws load-tool-failed, server-unreachable, inference-failed or cancelled. */
  measure(input: MeasureInput): Promise<LoadPoint>;
  /** Measures several models concurrently; absent: not supported. Throws as `measure` if any model fails. */
  measureTogether?(inputs: readonly MeasureInput[]): Promise<readonly LoadPoint[]>;
  /** Prepares a level without load; absent: the tool measures only whole levels. */
  levelInTurns?(input: MeasureInput): LevelInTurns;
}
