import type { LoadPoint } from '../results';

type Sent = Pick<LoadPoint, 'httpVersion' | 'compression' | 'jsonTensors'>;

/** How requests went, where not as Triton's clients send them: "HTTP/2", "tensors as JSON", "gzip". */
export const sentAs = ({ httpVersion, compression, jsonTensors }: Sent): readonly string[] => [
  ...(httpVersion === '2' ? ['HTTP/2'] : []),
  ...(jsonTensors === true ? ['tensors as JSON'] : []),
  ...(compression === undefined ? [] : [`compressed with ${compression}`]),
];
