import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import { someOf } from '../platform/lines';
import { FileWindow } from '../platform/zip-directory';
import { limited, type MessageField, MessageWalk } from './message-walk';
import { folderRefused } from './model-files';
import type { Dimension } from './read-onnx';

export interface SavedModelTensor {
  /** Key in the signature, used by requests and Triton's backend. */
  readonly name: string;
  /** Number of TensorFlow's `DataType`; null of a sparse or composite tensor. */
  readonly dataType: number | null;
  /** null where not even the rank is known. */
  readonly dimensions: readonly Dimension[] | null;
}

export interface SavedModelFacts {
  /** Of the signature `serving_default`, by name. */
  readonly inputs: readonly SavedModelTensor[];
  readonly outputs: readonly SavedModelTensor[];
  /** Including its functions. */
  readonly operators: ReadonlySet<string>;
}

/** Field numbers of TensorFlow's saved_model, meta_graph, graph, function, tensor_shape protos (2.21). */
const savedModel = { metaGraph: 2 } as const;
const metaGraph = { info: 1, graph: 2, signature: 5 } as const;
const metaInfo = { tag: 4 } as const;
const graph = { node: 1, library: 2 } as const;
const library = { function: 1 } as const;
const functionDef = { node: 3 } as const;
const node = { operator: 2 } as const;
const signatureDef = { input: 1, output: 2 } as const;
const tensorInfo = { sparse: 4, composite: 5, dataType: 2, shape: 3 } as const;
const tensorShape = { dimension: 2, unknownRank: 3 } as const;

/** Tag and signature that Triton and TensorFlow Serving use. */
const servingTag = 'serve';
const servingSignature = 'serving_default';

const most = fileLimits.protobufModel;

interface Graph {
  readonly tags: string[];
  readonly signatures: Map<string, MessageField>;
  readonly operators: Set<string>;
}

class SavedModelReader {
  constructor(private readonly walk: MessageWalk) {}

  graphs(end: number): Graph[] {
    const found: Graph[] = [];
    for (const field of this.walk.fields(0, end)) {
      if (field.number === savedModel.metaGraph) found.push(this.graph(field));
      limited(found.length, most.signatures, 'graphs');
    }
    return found;
  }

  tensors(signature: MessageField, side: number): SavedModelTensor[] {
    const found: SavedModelTensor[] = [];
    for (const field of this.walk.fields(signature.start, signature.end)) {
      if (field.number !== side) continue;
      const [name, info] = this.walk.entry(field);
      found.push({ name, dataType: null, dimensions: null, ...(info === null ? {} : this.tensor(info)) });
      limited(found.length, most.tensors, 'tensors of a signature');
    }
    return found.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  }

  private graph(at: MessageField): Graph {
    const found: Graph = { tags: [], signatures: new Map(), operators: new Set() };
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.number === metaGraph.info) {
        for (const part of this.walk.fields(field.start, field.end)) {
          if (part.number === metaInfo.tag) found.tags.push(this.walk.text(part));
          limited(found.tags.length, most.signatures, 'tags of a graph');
        }
      } else if (field.number === metaGraph.graph) {
        for (const part of this.walk.fields(field.start, field.end)) {
          if (part.number === graph.node) this.operator(part, found.operators);
          if (part.number === graph.library) this.functions(part, found.operators);
        }
      } else if (field.number === metaGraph.signature) {
        const [name, signature] = this.walk.entry(field);
        if (signature !== null) found.signatures.set(name, signature);
        limited(found.signatures.size, most.signatures, 'signatures of a graph');
      }
    }
    return found;
  }

  private functions(at: MessageField, operators: Set<string>): void {
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.number !== library.function) continue;
      for (const part of this.walk.fields(field.start, field.end)) {
        if (part.number === functionDef.node) this.operator(part, operators);
      }
    }
  }

  private operator(at: MessageField, operators: Set<string>): void {
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.number === node.operator) operators.add(this.walk.text(field));
      limited(operators.size, most.operators, 'operators');
    }
  }

  private tensor(at: MessageField): Pick<SavedModelTensor, 'dataType' | 'dimensions'> {
    let dataType: number | null = 0;
    // An absent shape message is a scalar's, as all its fields are defaults.
    let dimensions: readonly Dimension[] | null = [];
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.number === tensorInfo.sparse || field.number === tensorInfo.composite) {
        return { dataType: null, dimensions: null };
      }
      if (field.number === tensorInfo.dataType) dataType = field.value;
      if (field.number === tensorInfo.shape) dimensions = this.shape(field);
    }
    return { dataType, dimensions };
  }

  private shape(at: MessageField): readonly Dimension[] | null {
    const found: Dimension[] = [];
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.number === tensorShape.unknownRank && field.value !== 0) return null;
      if (field.number !== tensorShape.dimension) continue;
      let dimension: Dimension = 0;
      for (const part of this.walk.fields(field.start, field.end)) {
        if (part.number === 1) dimension = part.value < 0 ? '' : part.value;
      }
      found.push(dimension);
      limited(found.length, most.axes, 'axes of a tensor');
    }
    return found;
  }
}

const listed = (names: readonly string[]) => (names.length === 0 ? 'none' : someOf(names));

function factsOf(path: string, reader: SavedModelReader, end: number): SavedModelFacts {
  const graphs = reader.graphs(end);
  const served = graphs.find(({ tags }) => tags.length === 1 && tags[0] === servingTag);
  if (served === undefined) {
    const tags = graphs.map((each) => `[${someOf(each.tags)}]`);
    throw folderRefused(
      path,
      graphs.length === 0
        ? 'Not a SavedModel: it has no graph'
        : `The SavedModel has no graph with the tag "${servingTag}"; its graphs have the tags ${listed(tags)}`,
      'Save the model with tf.saved_model.save(model, folder), or model.export(folder) in Keras.',
    );
  }
  const signature = served.signatures.get(servingSignature);
  if (signature === undefined) {
    const others = [...served.signatures.keys()].filter((name) => !name.startsWith('__'));
    throw folderRefused(
      path,
      `The SavedModel has no signature "${servingSignature}"; it has: ${listed(others)}`,
      `Save it again with one: tf.saved_model.save(model, folder, signatures={"${servingSignature}": function}).`,
    );
  }
  return {
    inputs: reader.tensors(signature, signatureDef.input),
    outputs: reader.tensors(signature, signatureDef.output),
    operators: served.operators,
  };
}

/** Facts of a saved_model.pb. Reads the graph and skips constants; nothing is loaded. Throws model-folder-invalid. */
export function readSavedModel(folder: string): SavedModelFacts {
  const path = join(folder, 'saved_model.pb');
  const remedy = 'Copy or export it again, with everything beside saved_model.pb.';
  const damaged = (why: string) => folderRefused(path, `The SavedModel is incomplete: ${why}`, remedy);
  let file: FileWindow;
  try {
    file = new FileWindow(path);
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error));
  }
  try {
    if (file.size === 0) throw damaged('saved_model.pb is empty');
    return factsOf(path, new SavedModelReader(new MessageWalk(file)), file.size);
  } catch (error) {
    if (error instanceof WorkbenchError) throw error;
    throw damaged(error instanceof Error ? error.message : String(error));
  } finally {
    file.close();
  }
}
