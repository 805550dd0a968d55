import { decodeInferReply } from '../../triton/infer-message';
import type { Tensor } from '../../triton/tensor';

/** All outputs of a reply in the form of the binary tensor data extension. Throws an Error where it is none. */
export const decodeHttpOutputs = (
  buffer: Buffer,
  start: number,
  end: number,
  jsonBytes: number,
): readonly Tensor[] =>
  decodeInferReply(buffer.subarray(start, end), jsonBytes < 0 ? null : String(jsonBytes)).outputs;
