/** An element of nvidia-smi's report: children by name, text as a string. */
export type SmiNode = Readonly<Record<string, unknown>>;

// What drivers write where they know nothing; some put it in brackets.
const unknownText =
  /^\[?(?:|N\/A|Unknown Error|Not Supported|Not Found|GPU is lost|GPU requires reset|Insufficient Permissions|ERR!|Requested functionality has been deprecated)\]?$/i;

function isNode(value: unknown): value is SmiNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The only child of this name. */
export function childOf(node: SmiNode, name: string): SmiNode | null {
  const value = Object.hasOwn(node, name) ? node[name] : null;
  return isNode(value) ? value : null;
}

/** All children of this name; one that holds text alone ("None") is no child. */
export function childrenOf(node: SmiNode, name: string): readonly SmiNode[] {
  const value: unknown = Object.hasOwn(node, name) ? node[name] : null;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter(isNode);
}

/** Text at a path of names; null where there is none or the driver says that it does not know. */
export function textOf(node: SmiNode, ...path: readonly [string, ...string[]]): string | null {
  const name = path[path.length - 1] ?? '';
  let parent: SmiNode | null = node;
  for (const step of path.slice(0, -1)) {
    parent = parent === null ? null : childOf(parent, step);
  }
  if (parent === null || !Object.hasOwn(parent, name)) return null;
  const value = parent[name];
  return typeof value === 'string' && !unknownText.test(value) ? value : null;
}

/** Number with the given unit ('' for a bare one) at a path; null where the text is anything else. */
export function quantityOf(
  node: SmiNode,
  unit: 'MiB' | 'W' | 'C' | 'MHz' | '%' | '',
  ...path: readonly [string, ...string[]]
): number | null {
  const text = textOf(node, ...path);
  const match = text === null ? null : /^(\d{1,15}(?:\.\d{1,6})?)(?: ([A-Za-z%]{1,3}))?$/.exec(text);
  return match !== null && (match[2] ?? '') === unit ? Number(match[1]) : null;
}

/** true for "Enabled", false for "Disabled". */
export function switchOf(node: SmiNode, ...path: readonly [string, ...string[]]): boolean | null {
  const text = textOf(node, ...path);
  if (text === 'Enabled') return true;
  return text === 'Disabled' ? false : null;
}
