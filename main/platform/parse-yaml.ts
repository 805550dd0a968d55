import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type YAMLMap,
} from 'yaml';
import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';

/** Parse time is quadratic in errors. */
export const mostYamlBytes = fileLimits.yaml.bytes;
/** Nesting limit; specifications have 8. */
export const mostYamlDepth = 64;
/** Aliases are resolved by linear search. */
const mostYamlAliases = 1000;

const refused = (message: string, remedy: string): WorkbenchError =>
  new WorkbenchError('input-invalid', message, { remedy });

/**
 * Limits nesting, because parser and composer recurse. A document token arrives when complete; the parser's stack has
 * two entries besides collections.
 */
function* boundedTokens(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let aliases = 0;
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > mostYamlDepth + 2) {
      throw refused(
        `The YAML nests more than ${mostYamlDepth} mappings and lists within each other`,
        'Use a run specification, or a part of one.',
      );
    }
    if (lexeme.startsWith('*')) aliases += 1;
    if (aliases > mostYamlAliases) {
      throw refused(`The YAML has more than ${mostYamlAliases} aliases`, 'Write the values themselves.');
    }
  }
  yield* parser.end();
}

/** Error position in the parser's format. */
const placed = (message: string, offset: number, lines: LineCounter): Error => {
  const { line, col } = lines.linePos(offset);
  return new Error(`${message} at line ${line}, column ${col}`);
};

/** What `<<: *name` and `<<: [*one, *other]` may name. */
function isMergeable(value: unknown, document: Document.Parsed): boolean {
  const named = (node: unknown) => (isAlias(node) ? node.resolve(document) : node);
  const source = named(value);
  return isMap(source) || (isSeq(source) && source.items.every((one) => isMap(named(one))));
}

/** Duplicate keys, linear; the parser's own check is quadratic. And aliases of what they are in: not a tree. */
function checkNodes(document: Document.Parsed, lines: LineCounter): void {
  const check = ({ items }: YAMLMap): void => {
    const seen = new Set<unknown>();
    for (const { key, value } of items) {
      if (!isScalar(key)) continue;
      if (typeof key.value === 'symbol' && !isMergeable(value, document)) {
        throw placed('"<<" takes a map or a list of maps', key.range?.[0] ?? 0, lines);
      }
      if (seen.has(key.value)) throw placed('Map keys must be unique', key.range?.[0] ?? 0, lines);
      seen.add(key.value);
    }
  };
  visit(document, {
    Map: (_key, map) => {
      if (isMap(map)) check(map);
    },
    Alias: (_key, alias, path) => {
      const named = alias.resolve(document);
      if (named === undefined || !path.includes(named)) return;
      throw placed(`*${alias.source} is part of what it names`, alias.range?.[0] ?? 0, lines);
    },
  });
}

/** A document and where its parts are. */
export interface PlacedYaml {
  readonly value: unknown;
  /** Line of the key or list item at a path, from 1; of the last one above it that has a place. */
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** The node at a part of a collection, and the offset of its key or item; null where there is none. */
function partAt(
  node: unknown,
  part: string | number,
): { readonly offset: number; readonly node: unknown } | null {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
    if (pair === undefined || !isScalar(pair.key)) return null;
    return { offset: pair.key.range?.[0] ?? 0, node: pair.value };
  }
  if (!isSeq(node)) return null;
  const item = node.items[Number(part)] as { readonly range?: readonly number[] | null } | undefined;
  return item === undefined ? null : { offset: item.range?.[0] ?? 0, node: item };
}

const lineIn =
  (document: Document.Parsed, lines: LineCounter): PlacedYaml['lineOf'] =>
  (path) => {
    let node: unknown = document.contents;
    let offset = 0;
    for (const part of path) {
      const found = partAt(isAlias(node) ? node.resolve(document) : node, part);
      if (found === null) break;
      ({ offset, node } = found);
    }
    return lines.linePos(offset).line;
  };

/** As parseYaml, with the places of its parts. */
export function parsePlacedYaml(text: string): PlacedYaml {
  const bytes = Buffer.byteLength(text);
  if (bytes > mostYamlBytes) {
    throw refused(
      `The YAML has ${bytes} bytes, at most ${mostYamlBytes} are read`,
      'Use a run specification, or a part of one, without data.',
    );
  }
  const lines = new LineCounter();
  const composer = new Composer({ uniqueKeys: false, merge: true, lineCounter: lines });
  const [document, another] = composer.compose(boundedTokens(text, lines), true, text.length);
  // An empty text also has a document.
  if (document === undefined) return { value: null, lineOf: () => 1 };
  const [first] = document.errors;
  if (first !== undefined) throw placed(first.message, first.pos[0], lines);
  if (another !== undefined)
    throw placed('The text must be one YAML document: another begins', another.range[0], lines);
  checkNodes(document, lines);
  return { value: document.toJS() as unknown, lineOf: lineIn(document, lines) };
}

/** Limits size and nesting. Throws input-invalid beyond them, and an Error with the line for invalid YAML. */
export const parseYaml = (text: string): unknown => parsePlacedYaml(text).value;
