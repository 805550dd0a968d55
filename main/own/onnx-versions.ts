import { basename, extname } from 'node:path';
import { shellLine } from '../contract/flag-text';
import type { OnnxFacts } from './read-onnx';

/** What the ONNX Runtime of `resources/requirements/runtime.txt` loads at most. */
export const onnxRuntimeLimits = { version: '1.31.1', irVersion: 13, opset: 26 } as const;

/** In the words of `resources/toolkit/formats/onnx_versions.py`, with which the run refuses the file. */
export function olderVersion(
  path: string,
  { irVersion, opset }: { readonly irVersion: number; readonly opset: number },
): string {
  const name = basename(path, extname(path));
  const [from, to] = [path, `${name}-opset${opset}.onnx`].map((text) => JSON.stringify(text));
  const code =
    `import onnx; m = onnx.load(${from}); m = onnx.version_converter.convert_version(m, ${opset}); ` +
    `m.ir_version = ${irVersion}; onnx.save(m, ${to})`;
  return (
    `Export it with IR version ${irVersion} and operator set ${opset}, or older ones. ` +
    `To convert the file: ${shellLine(['python3', '-c', code])}`
  );
}

/** Of a file that is newer than ONNX Runtime; null where it loads. */
export function newerOnnxNote(
  path: string,
  { irVersion, opsets }: Pick<OnnxFacts, 'irVersion' | 'opsets'>,
): string | null {
  const limits = onnxRuntimeLimits;
  const opset = opsets.get('') ?? 0;
  const beyond = [
    ...(irVersion > limits.irVersion ? [`IR version ${irVersion}`] : []),
    ...(opset > limits.opset ? [`operator set ${opset}`] : []),
  ];
  if (beyond.length === 0) return null;
  const refused = `ONNX Runtime ${limits.version} cannot load ${basename(path)}, which has ${beyond.join(' and ')}.`;
  return `${refused} ${olderVersion(path, limits)}`;
}
