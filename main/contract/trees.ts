export function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
}

interface Typed {
  readonly type: string;
}

/** Events of some types. With a generic type `handlers[event.type](event)` compiles for a `ByType` table. */
export type OfType<Event extends Typed, Type extends Event['type'] = Event['type']> = {
  readonly [T in Type]: { readonly type: T } & Extract<Event, { readonly type: T }>;
}[Type];

/** A function per event type; a missing one does not compile. */
export type ByType<Event extends Typed, Result, Rest extends readonly unknown[] = []> = {
  readonly [T in Event['type']]: (event: OfType<Event, T>, ...rest: Rest) => Result;
};

/** A partial run specification, as a wizard choice or an option has it. */
export type Tree = Readonly<Record<string, unknown>>;
/** A list rather than dotted text, as tensor names may have dots. */
export type Keys = readonly string[];

export const isTree = (value: unknown): value is Tree =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export function getAt(tree: unknown, keys: Keys): unknown {
  let value = tree;
  for (const key of keys) {
    if (!isTree(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function setAt(tree: Tree, keys: Keys, value: unknown): Tree {
  const [key, ...rest] = keys;
  if (key === undefined) return tree;
  const inner = tree[key];
  return { ...tree, [key]: rest.length === 0 ? value : setAt(isTree(inner) ? inner : {}, rest, value) };
}

export function unsetAt(tree: Tree, keys: Keys): Tree {
  const [key, ...rest] = keys;
  if (key === undefined || !Object.hasOwn(tree, key)) return tree;
  const inner = tree[key];
  const left = rest.length > 0 && isTree(inner) ? unsetAt(inner, rest) : {};
  const others = Object.fromEntries(Object.entries(tree).filter(([name]) => name !== key));
  return Object.keys(left).length === 0 ? others : { ...others, [key]: left };
}

/** `over` wins. Branches merge at every depth; lists and `configPatch` are replaced; undefined is ignored. */
export function mergeTrees(base: Tree, over: Tree): Tree {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    // No key may reach a prototype.
    if (key === '__proto__' || value === undefined) continue;
    const before = merged[key];
    const whole = key === 'configPatch' || !isTree(before) || !isTree(value);
    merged[key] = whole ? value : mergeTrees(before, value);
  }
  return merged;
}

export function sameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (isTree(a) && isTree(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && sameValue(a[name], b[name]))
    );
  }
  return Object.is(a, b);
}

/** Every leaf with its path; an empty branch is a leaf. */
export function leavesOf(tree: Tree, to: Keys = []): readonly (readonly [keys: Keys, value: unknown])[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const keys = [...to, key];
    return isTree(value) && Object.keys(value).length > 0 ? leavesOf(value, keys) : [[keys, value] as const];
  });
}
