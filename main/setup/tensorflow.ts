import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Component, SetupContext } from './component';
import { makeEnvironment, packageVersion, venvOf } from './python';
import { readText } from './stamps';

const imports =
  'import tensorflow, tf2onnx, onnx, onnxruntime, pyarrow.parquet, tritonclient.grpc, tritonclient.http';

const requirementsOf = ({ resources }: Pick<SetupContext, 'resources'>): string =>
  join(resources, 'requirements', 'tensorflow.txt');

/** TensorFlow's own environment, beside the one of PyTorch: neither pins what the other needs. */
export const tensorflowComponent: Component = {
  id: 'tensorflow',
  folder: ({ tensorflow }) => dirname(dirname(tensorflow)),
  files: ({ tensorflow }) => [tensorflow],
  // Triton's Python stub wants the very Python of the other environment.
  stamp: async (context) => {
    const base = await readText(join(venvOf(context.layout), 'pyvenv.cfg'));
    if (base === null) return null;
    const pinned = await readFile(requirementsOf(context), 'utf8');
    return createHash('sha256').update(`tensorflow 1\0${base}\0${pinned}`).digest('hex');
  },
  version: (folder) => packageVersion(folder, 'tensorflow_cpu'),
  make: (fresh, context, listener) =>
    makeEnvironment(
      fresh,
      {
        interpreter: context.layout.python,
        requirements: requirementsOf(context),
        preferred: null,
        imports,
        what: 'TensorFlow',
      },
      context,
      listener,
    ),
};
