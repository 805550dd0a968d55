import { bytesElements } from '../../../triton/decode-tensor';
import { decodeGrpcOutputs } from './response';

const decoder = new TextDecoder();

/** Text of a language model's answer: of `text_output`, or of the only output of text; null: there is neither. */
export function outputText(buffer: Buffer, start: number, end: number): string | null {
  const texts = decodeGrpcOutputs(buffer, start, end).filter(({ datatype }) => datatype === 'BYTES');
  const found =
    texts.find(({ name }) => name === 'text_output') ?? (texts.length === 1 ? texts[0] : undefined);
  if (found === undefined) return null;
  try {
    return bytesElements(found)
      .map((bytes) => decoder.decode(bytes))
      .join('');
  } catch {
    return null;
  }
}
