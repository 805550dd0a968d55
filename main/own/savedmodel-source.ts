import { join } from 'node:path';
import type { ModelSource } from '../contract/run/run-spec';
import { largestOf } from '../domain/statistics';
import { folderRefused, listModelFiles } from './model-files';
import { modelTitle } from './own-preset';
import type { Dimension } from './read-onnx';
import type { SavedModelFacts, SavedModelTensor } from './read-savedmodel';
import { type GivenShapes, requireTensors, sourceTensors } from './source-tensors';
import { type Unsendable, unsendableText } from './unsendable';

/** Triton's names of TensorFlow's `DataType`. */
export const tensorflowDatatypes: Readonly<Record<number, string>> = {
  1: 'FP32',
  2: 'FP64',
  3: 'INT32',
  4: 'UINT8',
  5: 'INT16',
  6: 'INT8',
  9: 'INT64',
  10: 'BOOL',
  17: 'UINT16',
  19: 'FP16',
  22: 'UINT32',
  23: 'UINT64',
};
const otherTypes: Readonly<Record<number, Unsendable>> = {
  7: 'text',
  8: 'complex',
  14: 'bfloat16',
  18: 'complex',
};

/** Call a Python function of the creating process, which no file contains. */
const pythonOperators = ['PyFunc', 'PyFuncStateless', 'EagerPyFunc'];
/** Use the folder `variables`. */
const variableOperators = ['VarHandleOp', 'VariableV2', 'Variable'];

async function checkVariables(folder: string, { operators }: SavedModelFacts): Promise<void> {
  const below = (await listModelFiles(folder)).map(({ path }) => path.replaceAll('\\', '/'));
  const remedy = 'Copy the whole folder again, with "variables" in it.';
  if (!below.includes('variables/variables.index')) {
    if (!variableOperators.some((name) => operators.has(name))) return;
    throw folderRefused(
      join(folder, 'variables'),
      'The SavedModel lacks its variables: there is no variables/variables.index',
      remedy,
    );
  }
  const shards = below.flatMap((path) => /^variables\/variables\.data-(\d+)-of-(\d+)$/.exec(path)?.[2] ?? []);
  const wanted = Math.max(1, largestOf(shards.map(Number)));
  if (shards.length >= wanted) return;
  const message = `The SavedModel has ${shards.length} of the ${wanted} files with its variables`;
  throw folderRefused(join(folder, 'variables'), message, remedy);
}

const datatypeOf = ({ dataType }: SavedModelTensor): string | undefined =>
  dataType === null ? undefined : tensorflowDatatypes[dataType];

function unsendable(tensor: SavedModelTensor): Unsendable | null {
  if (datatypeOf(tensor) !== undefined) return null;
  return tensor.dataType === null ? 'composite' : (otherTypes[tensor.dataType] ?? 'unknown');
}

function checkTensors(path: string, { inputs, outputs }: SavedModelFacts): void {
  const named = (side: 'input' | 'output', tensors: readonly SavedModelTensor[]) =>
    tensors.map((tensor) => ({ side, name: tensor.name, what: unsendable(tensor) }));
  const found = unsendableText([...named('input', inputs), ...named('output', outputs)], null);
  if (found !== null) throw folderRefused(path, found.message, found.remedy);
}

interface SavedModelReading {
  readonly source: ModelSource;
  readonly names: readonly string[];
  readonly asked: readonly string[];
}

/** A SavedModel's signature tensors and sample shapes. Executes nothing. Throws model-folder-invalid. */
export async function savedModelSource(
  folder: string,
  facts: SavedModelFacts,
  given: GivenShapes,
): Promise<SavedModelReading> {
  const path = join(folder, 'saved_model.pb');
  requireTensors(facts, (side) =>
    folderRefused(path, `The signature has no ${side}`, 'Save the model with a function that has some.'),
  );
  const python = pythonOperators.find((name) => facts.operators.has(name));
  if (python !== undefined) {
    throw folderRefused(
      path,
      `The graph calls a Python function (${python}), which a SavedModel does not hold`,
      "Write that part with TensorFlow's own operations in place of tf.py_function or tf.numpy_function.",
    );
  }
  checkTensors(path, facts);
  await checkVariables(folder, facts);
  const asked = facts.inputs.filter(
    ({ name, dimensions }) => dimensions === null && given[name] === undefined,
  );
  const inputs = facts.inputs.map((tensor) => ({
    name: tensor.name,
    datatype: datatypeOf(tensor) ?? '',
    dimensions: tensor.dimensions ?? (given[tensor.name] ?? []).map((): Dimension => ''),
  }));
  const outputs = facts.outputs.map((tensor) => {
    const datatype = datatypeOf(tensor) ?? '';
    if (tensor.dimensions !== null) return { name: tensor.name, datatype, dimensions: tensor.dimensions };
    throw folderRefused(
      path,
      `The file does not say how many axes the output ${tensor.name} has`,
      'Give it a shape where the model is made (tf.ensure_shape does it), and save it again.',
    );
  });
  return {
    names: inputs.map(({ name }) => name),
    asked: asked.map(({ name }) => name),
    source: {
      kind: 'savedmodel',
      path: folder,
      title: modelTitle(folder),
      ...sourceTensors({ inputs, outputs }, given),
      externalFiles: [],
    },
  };
}
