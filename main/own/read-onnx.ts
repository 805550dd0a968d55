import type { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import { openModelFile } from '../platform/zip-directory';
import { CutOff, limited, type MessageField, MessageWalk } from './message-walk';
import { fileRefused } from './model-files';
import { recognizedRefusal } from './recognize-file';
import { TableIndices } from './table-indices';

/** Size, or name of a dynamic dimension ('' without one). */
export type Dimension = number | string;

type ValueKind = 'tensor' | 'sequence' | 'map' | 'sparse' | 'optional' | 'unknown';

export interface OnnxTensor {
  readonly name: string;
  readonly kind: ValueKind;
  /** Number of `TensorProto.DataType`; null for other values. */
  readonly elementType: number | null;
  /** null where not even the rank is known. */
  readonly dimensions: readonly Dimension[] | null;
}

export interface OnnxFacts {
  readonly inputs: readonly OnnxTensor[];
  readonly outputs: readonly OnnxTensor[];
  /** Version of the format (`ir_version`); 0 without one. */
  readonly irVersion: number;
  readonly opsets: ReadonlyMap<string, number>;
  /** By domain, without those that the file defines. */
  readonly operators: ReadonlyMap<string, ReadonlySet<string>>;
  /** `location` of each external weight, as spelled in the file. */
  readonly externalFiles: ReadonlySet<string>;
  /** Input of each ZipMap of a classifier, by output name. */
  readonly zipMaps: ReadonlyMap<string, string>;
  /** Number of classes of those whose labels ascend, by output name. */
  readonly zipMapClasses: ReadonlyMap<string, number>;
  /** Rows of the smallest weight that an input chooses from (Gather), by input name: its values are below. */
  readonly tableRows: ReadonlyMap<string, number>;
}

const depthLimit = 32;
const most = fileLimits.protobufModel;

/** Field numbers of onnx.proto3 (ONNX 1.18). */
const model = { irVersion: 1, graph: 7, opsetImport: 8, functions: 25 } as const;
const graph = { node: 1, initializer: 5, input: 11, output: 12, sparseInitializer: 15 } as const;
const node = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 } as const;
const attribute = {
  ...{ name: 1, integer: 3, tensor: 5, graph: 6, integers: 8, strings: 9, tensors: 10, graphs: 11 },
} as const;
const tensor = { dims: 1, name: 8, externalData: 13 } as const;
/** Inputs, outputs and attributes of a node that are looked at. */
const mostNamed = 256;
const listed: Readonly<Record<number, 'inputs' | 'outputs' | 'attributes'>> = {
  [node.input]: 'inputs',
  [node.output]: 'outputs',
  [node.attribute]: 'attributes',
};
/** Members of `TypeProto.value`. */
const valueKinds: Readonly<Record<number, ValueKind>> = {
  1: 'tensor',
  4: 'sequence',
  5: 'map',
  8: 'sparse',
  9: 'optional',
};

interface Found {
  readonly inputs: OnnxTensor[];
  readonly outputs: OnnxTensor[];
  readonly initializers: Set<string>;
  readonly operators: Map<string, Set<string>>;
  readonly externalFiles: Set<string>;
  readonly zipMaps: Map<string, string>;
  readonly zipMapClasses: Map<string, number>;
  readonly tables: TableIndices;
}

class OnnxReader {
  readonly opsets = new Map<string, number>();
  readonly functionDomains = new Set<string>();
  readonly found: Found = {
    inputs: [],
    outputs: [],
    initializers: new Set(),
    operators: new Map(),
    externalFiles: new Set(),
    zipMaps: new Map(),
    zipMapClasses: new Map(),
    tables: new TableIndices(),
  };
  graphs = 0;
  irVersion = 0;
  private operatorCount = 0;

  constructor(private readonly walk: MessageWalk) {}

  model(end: number): void {
    for (const field of this.walk.fields(0, end)) {
      if (field.number === model.graph) {
        this.graphs += 1;
        this.graph(field, 0);
      } else if (field.number === model.irVersion) this.irVersion = field.value;
      else if (field.number === model.opsetImport) this.opset(field);
      else if (field.number === model.functions) this.definedFunction(field);
    }
  }

  /** Older files list weights as inputs, which do not count. Throws an Error. */
  checkCounts(): void {
    const { inputs, initializers } = this.found;
    const given = inputs.reduce((count, { name }) => count + (initializers.has(name) ? 0 : 1), 0);
    limited(given, most.tensors, 'inputs');
  }

  private opset(at: MessageField): void {
    let domain = '';
    let version = 0;
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.number === 1) domain = this.walk.text(field);
      if (field.number === 2) version = field.value;
    }
    this.opsets.set(domain === 'ai.onnx' ? '' : domain, version);
    limited(this.opsets.size, most.domains, 'imported sets of operators');
  }

  private definedFunction(at: MessageField): void {
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.number === 10) {
        this.functionDomains.add(this.walk.text(field));
        limited(this.functionDomains.size, most.domains, 'domains of functions');
      }
      if (field.number === 7) this.node(field, 1);
    }
  }

  private graph(at: MessageField, depth: number): void {
    if (depth > depthLimit) throw new Error(`Graphs nested more than ${depthLimit} deep`);
    for (const field of this.walk.fields(at.start, at.end)) {
      switch (field.number) {
        case graph.node:
          this.node(field, depth);
          break;
        case graph.initializer: {
          const { name, rows } = this.tensor(field);
          if (depth === 0) this.found.initializers.add(name);
          if (depth === 0) this.found.tables.weight(name, rows);
          limited(this.found.initializers.size, most.weights, 'weights');
          break;
        }
        case graph.sparseInitializer:
          for (const inner of this.walk.fields(field.start, field.end)) {
            if (inner.number === 1 || inner.number === 2) this.tensor(inner);
          }
          break;
        case graph.input:
          if (depth === 0) this.found.inputs.push(this.valueInfo(field));
          limited(this.found.inputs.length, most.weights + most.tensors, 'inputs');
          break;
        case graph.output:
          if (depth === 0) this.found.outputs.push(this.valueInfo(field));
          limited(this.found.outputs.length, most.tensors, 'outputs');
          break;
      }
    }
  }

  private node(at: MessageField, depth: number): void {
    const parts: Record<'inputs' | 'outputs' | 'attributes', MessageField[]> = {
      ...{ inputs: [], outputs: [], attributes: [] },
    };
    let operator = '';
    let domain = '';
    for (const field of this.walk.fields(at.start, at.end)) {
      const list = listed[field.number];
      if (list !== undefined && parts[list].length < mostNamed) parts[list].push(field);
      if (field.number === node.operator) operator = this.walk.text(field);
      else if (field.number === node.domain) domain = this.walk.text(field);
      else if (field.number === node.attribute) this.attribute(field, depth);
    }
    const key = domain === 'ai.onnx' ? '' : domain;
    this.connection(operator, key, parts, depth);
    const { operators } = this.found;
    let known = operators.get(key);
    if (known === undefined) {
      known = new Set();
      operators.set(key, known);
      limited(operators.size, most.domains, 'domains of operators');
    }
    if (known.has(operator)) return;
    known.add(operator);
    this.operatorCount += 1;
    limited(this.operatorCount, most.operators, 'operators');
  }

  /** What later steps want to know of how this node is connected. */
  private connection(
    operator: string,
    domain: string,
    parts: Readonly<Record<'inputs' | 'outputs' | 'attributes', readonly MessageField[]>>,
    depth: number,
  ): void {
    const { zipMaps, tables } = this.found;
    const texts = (fields: readonly MessageField[]) => fields.map((field) => this.walk.text(field));
    const { inputs, outputs, attributes } = parts;
    if (operator === 'ZipMap') {
      const [[from], [to]] = [texts(inputs.slice(0, 1)), texts(outputs.slice(0, 1))];
      if (from !== undefined && to !== undefined) zipMaps.set(to, from);
      const classes = this.classCount(attributes);
      if (to !== undefined && classes !== null) this.found.zipMapClasses.set(to, classes);
      limited(zipMaps.size, most.tensors, 'operators ZipMap');
    }
    if (depth > 0 || !TableIndices.concerns(operator, domain)) return;
    tables.node(operator, texts(inputs.slice(0, 2)), texts(outputs), this.isFirstAxis(attributes));
  }

  /** Of the labels of a ZipMap; null unless they ascend, as the maps have them. */
  private classCount(attributes: readonly MessageField[]): number | null {
    const numbers: number[] = [];
    const texts: string[] = [];
    for (const field of attributes) {
      for (const part of this.walk.fields(field.start, field.end)) {
        if (part.number === attribute.integers && part.start === part.end) numbers.push(part.value);
        if (part.number === attribute.strings) texts.push(this.walk.text(part));
      }
    }
    const ascend =
      numbers.every((label, index) => index === 0 || (numbers[index - 1] ?? label) < label) &&
      texts.every((label, index) => index === 0 || (texts[index - 1] ?? label) < label);
    const count = Math.max(numbers.length, texts.length);
    return count > 1 && ascend ? count : null;
  }

  /** `axis` of a node's attributes; 0 without it. */
  private isFirstAxis(attributes: readonly MessageField[]): boolean {
    return attributes.every((field) => {
      let name = '';
      let value = 0;
      for (const part of this.walk.fields(field.start, field.end)) {
        if (part.number === attribute.name) name = this.walk.text(part);
        if (part.number === attribute.integer) value = part.value;
      }
      return name !== 'axis' || value === 0;
    });
  }

  private attribute(at: MessageField, depth: number): void {
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.end === field.start) continue;
      if (field.number === attribute.graph || field.number === attribute.graphs) this.graph(field, depth + 1);
      if (field.number === attribute.tensor || field.number === attribute.tensors) this.tensor(field);
    }
  }

  /** `rows`: size of the first axis. */
  private tensor(at: MessageField): { readonly name: string; readonly rows: number | null } {
    let name = '';
    let rows: number | null = null;
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.number === tensor.name) name = this.walk.text(field);
      // Written one by one, as onnx.proto has them; a packed list is not read.
      if (field.number === tensor.dims && field.start === field.end) rows ??= field.value;
      if (field.number === tensor.externalData) {
        const [key, value] = this.walk.entry(field);
        // Dropped ones count towards the text limit.
        const text = value === null ? '' : this.walk.text(value);
        if (key === 'location') this.found.externalFiles.add(text);
        limited(this.found.externalFiles.size, most.externalFiles, 'files with weights');
      }
    }
    return { name, rows };
  }

  private valueInfo(at: MessageField): OnnxTensor {
    let name = '';
    let valueKind: ValueKind = 'unknown';
    let elementType: number | null = null;
    let dimensions: readonly Dimension[] | null = null;
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.number === 1) name = this.walk.text(field);
      if (field.number !== 2) continue;
      for (const kind of this.walk.fields(field.start, field.end)) {
        valueKind = valueKinds[kind.number] ?? valueKind;
        if (kind.number !== 1) continue;
        for (const part of this.walk.fields(kind.start, kind.end)) {
          if (part.number === 1) elementType = part.value;
          if (part.number === 2) dimensions = this.dimensions(part);
        }
      }
    }
    return { name, kind: valueKind, elementType, dimensions };
  }

  private dimensions(at: MessageField): readonly Dimension[] {
    const found: Dimension[] = [];
    for (const field of this.walk.fields(at.start, at.end)) {
      if (field.number !== 1) continue;
      let dimension: Dimension = '';
      for (const part of this.walk.fields(field.start, field.end)) {
        if (part.number === 1) dimension = part.value < 0 ? '' : part.value;
        if (part.number === 2) dimension = this.walk.text(part);
      }
      found.push(dimension);
      limited(found.length, most.axes, 'axes of a tensor');
    }
    return found;
  }
}

/** Error of a file with unrecognized content. */
function unreadable(path: string, error: unknown, bytes: number): WorkbenchError {
  const why = error instanceof Error ? error.message : String(error);
  if (!(error instanceof CutOff) || error.wanted <= bytes) {
    return fileRefused(path, `Not an ONNX model, or a damaged one: ${why}`, 'Copy or export it again.');
  }
  const [has, wants] = [bytes, error.wanted].map((count) => count.toLocaleString('en-US'));
  return fileRefused(
    path,
    `The ONNX file is incomplete: it has ${has} of at least ${wants} bytes`,
    'The download or copy was interrupted: repeat it, or export the model again.',
  );
}

/** Reads the graph and skips weights, so that neither size nor content can do harm. Throws model-file-invalid. */
export function readOnnx(path: string): OnnxFacts {
  const file = openModelFile(path);
  try {
    const reader = new OnnxReader(new MessageWalk(file));
    try {
      reader.model(file.size);
      reader.checkCounts();
    } catch (error) {
      throw recognizedRefusal(path, 'onnx') ?? unreadable(path, error, file.size);
    }
    const { found } = reader;
    if (reader.graphs === 0 || reader.opsets.size === 0) {
      throw (
        recognizedRefusal(path, 'onnx') ??
        fileRefused(path, 'Not an ONNX model: it has no graph', 'Give the file that the exporter wrote.')
      );
    }
    const operators = new Map([...found.operators].filter(([domain]) => !reader.functionDomains.has(domain)));
    const inputs = found.inputs.filter(({ name }) => !found.initializers.has(name));
    return {
      inputs,
      outputs: found.outputs,
      irVersion: reader.irVersion,
      opsets: reader.opsets,
      operators,
      externalFiles: found.externalFiles,
      zipMaps: found.zipMaps,
      zipMapClasses: found.zipMapClasses,
      tableRows: found.tables.of(new Set(inputs.map(({ name }) => name))),
    };
  } finally {
    file.close();
  }
}
