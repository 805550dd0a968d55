import type { RequestHeader } from '../../../contract/address';
import { WorkbenchError } from '../../../contract/errors';
import type { SampleDatatype } from '../../../contract/measured/input-data';
import type { PerformanceSpec, Protocol, SequenceSettings } from '../../../contract/run/run-spec';
import type { TlsMaterial } from '../../../triton/tls';
import type { ScheduleInput } from '../../request-schedule';
import type { Failure } from './transport';

export interface JobTensor {
  readonly name: string;
  readonly datatype: SampleDatatype;
  /** One sample, without the batch dimension. */
  readonly shape: readonly number[];
  /** A sample's own, where they differ. */
  readonly shapes?: readonly (readonly number[])[];
  /** Raw little-endian bytes, one entry a sample. */
  readonly samples: readonly Uint8Array[];
}

/** An input of a request as it is named there, wherever its bytes are. */
export interface RequestInputHead {
  readonly name: string;
  readonly datatype: string;
  /** With the batch dimension where the model has one. */
  readonly shape: readonly number[];
}

/** An input that the input region holds. */
interface SharedTensor extends RequestInputHead {
  readonly offset: number;
  readonly bytes: number;
}

/** What the worker thread needs of the regions; a plain value. */
export interface SharedJob {
  readonly inputRegion: string;
  /** The inputs of the different requests, which are sent in turn. */
  readonly payloads: readonly (readonly SharedTensor[])[];
  readonly outputRegion: string;
  /** The output region's file, to read answers back. */
  readonly outputPath: string;
  readonly outputNames: readonly string[];
  /** Of each of them. */
  readonly outputDatatypes: readonly string[];
  /** Room of each output of a request. */
  readonly outputBytes: number;
  /**
   * Beginnings of the outputs of each payload, by payload and then output, as the server answered over the wire; fewer than
   * there are payloads where not all were asked for.
   */
  readonly references: readonly (readonly Uint8Array[])[];
  /** What is wrong with the answer over the wire to each of these payloads; null: nothing, or it was not looked at. */
  readonly referenceFaults: readonly (Failure | null)[];
}

/** What some of the responses are held against. */
export interface OutputCheckJob {
  /** As the model says; the batch dimension first where it has one, -1 where a dimension varies. */
  readonly outputs: readonly {
    readonly name: string;
    readonly datatype: string;
    readonly shape: readonly number[];
  }[];
  /** NaN and infinities count as wrong. */
  readonly finite: boolean;
  /** An answer of a decoupled model may have another number of items than its request. */
  readonly anyBatch?: boolean;
  /** What the samples are to be answered with; empty where that is not known. */
  readonly expected: readonly JobTensor[];
}

/** What a request names first. */
export type RequestTarget = Pick<LoadJob, 'modelName' | 'modelVersion' | 'headers'>;

/** Everything that the worker thread needs for one level; a plain value, it crosses threads. */
export interface LoadJob {
  readonly host: string;
  readonly port: number;
  readonly protocol: Protocol;
  readonly modelName: string;
  /** '' lets the server choose. */
  readonly modelVersion: string;
  /** Empty where the inputs are in shared memory. */
  readonly tensors: readonly JobTensor[];
  readonly batchSize: number;
  /** False: tensors have no batch dimension. */
  readonly batched: boolean;
  /** Requests under way; with a schedule the most that may be. */
  readonly concurrency: number;
  /** Open loop: requests go out when they are due. null: a closed loop. */
  readonly schedule: ScheduleInput | null;
  /** null: tensors go over the wire. */
  readonly shared: SharedJob | null;
  /** null: responses are only checked for their length. */
  readonly outputChecks: OutputCheckJob | null;
  /** null: requests have nothing to do with one another. */
  readonly sequences: SequenceSettings | null;
  /** Samples of each stream of the input data, one after the other: each is a sequence. Absent: there is one stream. */
  readonly streams?: readonly number[];
  /** Requests go over a stream a slot, and may have any number of answers. */
  readonly streaming: boolean;
  /** null: in the clear. */
  readonly tls: TlsMaterial | null;
  /** Go with every request. */
  readonly headers?: readonly RequestHeader[];
  readonly warmupMs: number;
  readonly mode: PerformanceSpec['measurementMode'];
  readonly intervalMs: number;
  /** Requests that a window has at least, in mode count_windows. */
  readonly requestCount: number;
}

/** `host:port`, `[::1]:port`. Throws input-invalid. */
export function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([\da-fA-F:]+)\]|([^:[\]/]+)):(\d{1,5})$/.exec(address) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new WorkbenchError('input-invalid', `"${address}" is not of the form host:port`);
  }
  return { host, port: Number(port) };
}
