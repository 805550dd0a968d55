import schema from '../../../../main/contract/model-config.schema.json';

interface Field {
  readonly type: string;
  readonly rule?: string;
  readonly keyType?: string;
}

interface Definition {
  readonly fields?: Readonly<Record<string, Field>>;
  readonly values?: Readonly<Record<string, number>>;
  readonly nested?: Readonly<Record<string, Definition>>;
}

/** A definition, and the scope of the short names in it. */
interface MessageScope {
  readonly definition: Definition;
  readonly around: readonly Definition[];
}

const root: Definition = schema.nested.inference;

/** `maxBatchSize` -> `max_batch_size`. */
const textName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function scopeOf(name: string, around: readonly Definition[]): MessageScope | null {
  for (const [index, outer] of around.entries()) {
    let path = around.slice(index);
    let definition: Definition | undefined = outer;
    for (const part of name.split('.')) {
      definition = definition?.nested?.[part];
      if (definition !== undefined) path = [definition, ...path];
    }
    if (definition !== undefined) return { definition, around: path };
  }
  return null;
}

function fieldsOf({ definition }: MessageScope): readonly (readonly [name: string, field: Field])[] {
  return Object.entries(definition.fields ?? {}).map(([name, field]) => [textName(name), field]);
}

function entryOf({ type, keyType = 'string' }: Field, { around }: MessageScope): MessageScope {
  return { definition: { fields: { key: { type: keyType }, value: { type } } }, around };
}

function inside(scope: MessageScope, name: string): MessageScope | null {
  const [, field] = fieldsOf(scope).find(([own]) => own === name) ?? [];
  if (field === undefined) return null;
  return field.keyType === undefined ? scopeOf(field.type, scope.around) : entryOf(field, scope);
}

function scopeAt(path: readonly string[]): MessageScope | null {
  return path.reduce<MessageScope | null>(
    (scope, name) => (scope === null ? null : inside(scope, name)),
    scopeOf('ModelConfig', [root]),
  );
}

export interface PbtxtField {
  readonly name: string;
  /** "string", "repeated ModelInput", "map of string". */
  readonly type: string;
  readonly isMessage: boolean;
}

export function fieldsAt(path: readonly string[]): readonly PbtxtField[] {
  const scope = scopeAt(path);
  if (scope === null) return [];
  return fieldsOf(scope).map(([name, field]) => {
    const isMap = field.keyType !== undefined;
    const type = isMap
      ? `map of ${field.type}`
      : field.rule === undefined
        ? field.type
        : `${field.rule} ${field.type}`;
    const isMessage = isMap || scopeOf(field.type, scope.around)?.definition.fields !== undefined;
    return { name, type, isMessage };
  });
}

export function valuesAt(path: readonly string[], name: string): readonly string[] {
  const scope = scopeAt(path);
  const [, field] = scope === null ? [] : (fieldsOf(scope).find(([own]) => own === name) ?? []);
  if (scope === null || field === undefined) return [];
  if (field.type === 'bool') return ['true', 'false'];
  return Object.keys(scopeOf(field.type, scope.around)?.definition.values ?? {});
}

export interface PbtxtPlace {
  /** Enclosing messages, outermost first. */
  readonly path: readonly string[];
  /** Field whose value is expected; null: a field name is. */
  readonly valueOf: string | null;
}

const tokens = /#[^\n]*|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[A-Za-z_][\w.]*|\S/g;

interface Reading {
  readonly open: readonly { readonly name: string; readonly isList: boolean }[];
  readonly name: string;
  readonly valueOf: string | null;
}

function opened({ open, name }: Reading, isList: boolean): Reading {
  const list = open.at(-1);
  const own = !isList && list?.isList === true ? list.name : name;
  return { open: [...open, { name: own, isList }], name, valueOf: isList ? name : null };
}

function afterToken(reading: Reading, token: string): Reading {
  if (token.startsWith('#')) return reading;
  if (token === '{' || token === '<') return opened(reading, false);
  if (token === '[') return opened(reading, true);
  if (/^[}\]>]$/.test(token)) return { ...reading, open: reading.open.slice(0, -1), valueOf: null };
  if (token === ':') return { ...reading, valueOf: reading.name };
  const list = reading.open.at(-1);
  if (token === ',') return { ...reading, valueOf: list?.isList === true ? list.name : null };
  if (/^[A-Za-z_]/.test(token) && reading.valueOf === null) return { ...reading, name: token };
  return { ...reading, valueOf: null };
}

/**
 * What is expected at the end of a config.pbtxt text, without the word being typed; null inside a comment or string.
 */
export function pbtxtPlace(text: string): PbtxtPlace | null {
  const found = [...text.matchAll(tokens)];
  const last = found.at(-1);
  if (last !== undefined && last.index + last[0].length === text.length) {
    if (last[0].startsWith('#') || /^(["'])(?!.*\1$)|^["']$/.test(last[0])) return null;
  }
  const { open, valueOf } = found.reduce<Reading>((reading, [token]) => afterToken(reading, token), {
    open: [],
    name: '',
    valueOf: null,
  });
  return { path: open.filter(({ isList }) => !isList).map(({ name }) => name), valueOf };
}
