import { WorkbenchError } from '../../main/contract/errors';
import { readerTable } from '../../main/core/reader-table';
import { serveReaders } from '../../main/readers/serve-readers';

const held: Buffer[] = [];

/** Injects one fault for each name of a file into the real readers: what a parser at its worst does. */
const faults: Readonly<Record<string, () => unknown>> = {
  'hangs.onnx': () => {
    for (;;);
  },
  'takes-heap.onnx': () => {
    const map = new Map<number, number>();
    for (let at = 0; ; at += 1) map.set(at, at);
  },
  'takes-buffers.onnx': () => {
    const held: Buffer[] = [];
    for (;;) held.push(Buffer.alloc(64 * 1024 * 1024, 1));
  },
  'holds-much.onnx': () => {
    held.push(Buffer.alloc(1024 * 1024 * 1024, 1));
    return null;
  },
  'exits.onnx': () => process.exit(3),
  'aborts.onnx': () => {
    process.abort();
  },
  'refuses.onnx': () => {
    throw new WorkbenchError('model-file-invalid', 'a reason', {
      where: 'a place',
      remedy: 'a remedy',
      details: 'evidence',
    });
  },
};

serveReaders({
  ...readerTable,
  onnx: ({ path }: { readonly path: string }) =>
    (faults[path.split('/').at(-1) ?? ''] ?? (() => readerTable.onnx({ path })))(),
});
