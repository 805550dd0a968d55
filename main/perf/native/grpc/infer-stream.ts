import { WorkbenchError } from '../../../contract/errors';
import type { Tensor } from '../../../triton/tensor';
import type { TlsMaterial } from '../../../triton/tls';
import { parseAddress } from '../seam/load-job';
import { largestReplyBytes } from '../seam/reply-limit';
import { authorityOf, encodeGrpcRequest, grpcHeaders } from './request';
import { decodeGrpcOutputs } from './response';
import { GrpcStreamConnection } from './stream-connection';

interface StreamInference {
  /** `host:port` of gRPC. */
  readonly grpcAddress: string;
  /** null: in the clear. */
  readonly tls: TlsMaterial | null;
  readonly modelName: string;
  readonly modelVersion: string;
  readonly inputs: readonly Tensor[];
  /** The request is a whole sequence of this correlation id. */
  readonly sequenceId?: number | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const copyOf = ({ data, ...rest }: Tensor) => ({ ...rest, data: Buffer.from(data) });

/**
 * One request over a gRPC stream of its own: the outputs of every answer with content, once the final one has come.
 * Throws inference-failed, server-unreachable and cancelled.
 */
export function inferOverStream(input: StreamInference): Promise<readonly (readonly Tensor[])[]> {
  const { tls, signal, timeoutMs, modelName, sequenceId } = input;
  const target = { ...parseAddress(input.grpcAddress), tls };
  const message = encodeGrpcRequest(input, input.inputs.map(copyOf), {
    sequence: sequenceId === undefined ? null : { id: sequenceId, start: true, end: true, step: 0, first: 0 },
    emptyFinal: true,
  });
  const failed = (code: 'inference-failed' | 'server-unreachable', details: string) =>
    new WorkbenchError(
      code,
      code === 'inference-failed'
        ? `${modelName} refused an inference request: ${details.slice(0, 500)}`
        : `No gRPC answer from Triton at ${authorityOf(target)}`,
      { details },
    );
  return new Promise((resolve, reject) => {
    const answers: Tensor[][] = [];
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      connection.close();
      settle();
    };
    const fail = (error: WorkbenchError) => {
      end(() => {
        reject(error);
      });
    };
    const connection = new GrpcStreamConnection({
      ...target,
      blocks: grpcHeaders(target, 'ModelStreamInfer'),
      requestBytes: message.length,
      nextMessage: () => message,
      alone: true,
      shared: false,
      replyLimitBytes: largestReplyBytes,
      looks: () => true,
      // The bytes are the connection's, which uses them again.
      look: (_slot, buffer, start, stop) => {
        answers.push(decodeGrpcOutputs(buffer, start, stop).map(copyOf));
      },
      events: {
        success: () => {
          end(() => {
            resolve(answers);
          });
        },
        failure: (_slot, kind, text) => {
          fail(failed('inference-failed', `${kind}: ${text}`));
        },
        retired: () => undefined,
        lost: (_connection, _opened, reason) => {
          fail(failed('server-unreachable', reason));
        },
      },
    });
    const timer = setTimeout(() => {
      fail(failed('inference-failed', `There was no final answer within ${timeoutMs / 1000} s.`));
    }, timeoutMs);
    const onAbort = () => {
      fail(new WorkbenchError('cancelled', 'The request was cancelled'));
    };
    if (signal?.aborted === true) onAbort();
    else {
      signal?.addEventListener('abort', onAbort, { once: true });
      connection.start(0);
    }
  });
}
