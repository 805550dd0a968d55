import { fileLimits } from '../../contract/reader-limits';
import { isTree, type Tree } from '../../contract/trees';

const { depth: mostDepth, values: mostNodes } = fileLimits.trees;

/** Kinds of nodes of schema.json that make data and estimators; functions and methods are not among them. */
const loaders = new Set([
  'CachedNode',
  'DTypeNode',
  'DefaultDictNode',
  'DictNode',
  'JsonNode',
  'ListNode',
  'LossNode',
  'NdArrayNode',
  'ObjectNode',
  // Its kind is a text that skops trusts by a list of its own, as losses are.
  'RandomGeneratorNode',
  'RandomStateNode',
  'SetNode',
  'SliceNode',
  'SparseMatrixNode',
  'TreeNode',
  'TupleNode',
  'TypeNode',
]);

/** Modules of the libraries in the environment; a type of another one would be imported. */
const known = /^(builtins|collections|numpy|scipy|sklearn)(\.|$)/;
/** Constructors of NumPy take a number as the size of what they make. */
const scalars = /^(ndarray|bool_?|u?int(8|16|32|64)|float(16|32|64)|str_)$/;

const isNode = (value: unknown): value is Tree => isTree(value) && typeof value['__class__'] === 'string';

/** "sklearn.pipeline.Pipeline". */
const typeOf = (node: Tree): string => `${String(node['__module__'])}.${String(node['__class__'])}`;

function isStrange(node: Tree): boolean {
  const { __loader__: loader, __module__: module, __class__: name } = node;
  if (typeof loader !== 'string' || !loaders.has(loader)) return true;
  if (loader === 'LossNode' && module === '_loss') return !/^Cy[A-Za-z]+$/.test(String(name));
  if (typeof module !== 'string' || !known.test(module)) return true;
  return loader === 'NdArrayNode' && !(module === 'numpy' && scalars.test(String(name)));
}

/** What an estimator of schema.json is, by its class and attributes. */
export class SkopsSchema {
  /** Types and functions that are not loaded, by name. */
  readonly strange: readonly string[];
  /** Files of the arrays that it reads. */
  readonly files: readonly string[];
  /** Trees of scikit-learn, which are made from what `__reduce__` says. */
  readonly trees: readonly Tree[];
  private readonly byId = new Map<unknown, Tree>();

  /** Throws an Error for what is not a schema, or is beyond the limits. */
  constructor(readonly root: Tree) {
    const strange = new Set<string>();
    const files = new Set<string>();
    const trees: Tree[] = [];
    const waiting: (readonly [unknown, number])[] = [[root, 0]];
    let nodes = 0;
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [value, depth] = next;
      if (depth > mostDepth) throw new Error(`it has more than ${mostDepth} levels within each other`);
      nodes += 1;
      if (nodes > mostNodes) throw new Error(`it has more than ${mostNodes} values`);
      if (isNode(value)) {
        if (isStrange(value)) strange.add(typeOf(value));
        if (typeof value['file'] === 'string') files.add(value['file']);
        if (value['__loader__'] === 'TreeNode') trees.push(value);
        if (value['__loader__'] !== 'CachedNode') this.byId.set(value['__id__'], value);
      }
      if (Array.isArray(value)) for (const inner of value as unknown[]) waiting.push([inner, depth + 1]);
      else if (isTree(value)) for (const inner of Object.values(value)) waiting.push([inner, depth + 1]);
    }
    this.strange = [...strange].sort();
    this.files = [...files];
    this.trees = trees;
  }

  private resolved(value: unknown): Tree | null {
    if (!isNode(value)) return null;
    return value['__loader__'] === 'CachedNode' ? (this.byId.get(value['__id__']) ?? null) : value;
  }

  /** A node of an attribute; null without it. */
  attribute(node: Tree, name: string): Tree | null {
    const content = this.resolved(node['content']);
    const members = content?.['content'];
    return isTree(members) && Object.hasOwn(members, name) ? this.resolved(members[name]) : null;
  }

  /** What the constructor of a tree is given: columns, an array of the classes of each output, outputs. */
  treeArguments(node: Tree): readonly Tree[] {
    const reduced = node['__reduce__'];
    return isTree(reduced) ? this.members(this.resolved(reduced['args'])) : [];
  }

  /** Numbers, texts and null are kept as JSON within JSON. */
  plain(node: Tree | null): unknown {
    const content = node?.['content'];
    if (node?.['__loader__'] !== 'JsonNode' || typeof content !== 'string') return undefined;
    try {
      return JSON.parse(content) as unknown;
    } catch {
      return undefined;
    }
  }

  /** Members of a list, a tuple, or an array of objects. */
  members(node: Tree | null): readonly Tree[] {
    const content = node?.['content'];
    const list: readonly unknown[] = Array.isArray(content) ? content : [];
    return list.map((one) => this.resolved(one)).filter((one) => one !== null);
  }

  /** Texts of an array of objects; null where it is another one. */
  texts(node: Tree | null): readonly string[] | null {
    if (node?.['type'] !== 'json') return null;
    const values = this.members(node).map((one) => this.plain(one));
    return values.every((value) => typeof value === 'string') ? values : null;
  }

  /** Estimators of a pipeline in order; the estimator itself where it is none. */
  steps(node: Tree): readonly Tree[] {
    if (node['__class__'] !== 'Pipeline') return [node];
    return this.members(this.attribute(node, 'steps')).flatMap((pair) => {
      const [, step] = this.members(pair);
      return step === undefined || this.plain(step) !== undefined ? [] : this.steps(step);
    });
  }

  /** Estimators of a ColumnTransformer that are fitted. */
  parts(node: Tree): readonly Tree[] {
    if (node['__class__'] !== 'ColumnTransformer') return [];
    return this.members(this.attribute(node, 'transformers_')).flatMap((triple) => {
      const [, part] = this.members(triple);
      // "drop" and "passthrough" are texts.
      return part === undefined || this.plain(part) !== undefined ? [] : this.steps(part);
    });
  }
}
