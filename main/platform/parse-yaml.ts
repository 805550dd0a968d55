import {
  Composer,
  type CST,
  type Document,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type YAMLMap,
} from 'yaml';
import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';

/** The parser's time grows with the square of the errors in a text. */
export const mostYamlBytes = fileLimits.yaml.bytes;
/** Mappings and lists within each other: a specification has 8. */
export const mostYamlDepth = 64;
/** Each is looked up in the list of all. */
const mostYamlAliases = 1000;

const refused = (message: string, remedy: string): WorkbenchError =>
  new WorkbenchError('input-invalid', message, { remedy });

/**
 * The tokens of a text, each of its nesting checked: the parser's stack is its nesting, and composing recurses by it. A
 * document is one token, which comes when it has been read to its end. The parser keeps the document and the open value on
 * its stack besides the collections.
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

/** Where in the text an error is: in the words of the parser. */
const placed = (message: string, offset: number, lines: LineCounter): Error => {
  const { line, col } = lines.linePos(offset);
  return new Error(`${message} at line ${line}, column ${col}`);
};

/** One look at each key. The parser's own check compares each key with all before it. */
function checkKeys(document: Document.Parsed, lines: LineCounter): void {
  const check = ({ items }: YAMLMap): void => {
    const seen = new Set<unknown>();
    for (const { key } of items) {
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) throw placed('Map keys must be unique', key.range?.[0] ?? 0, lines);
      seen.add(key.value);
    }
  };
  visit(document, {
    Map: (_key, map) => {
      if (isMap(map)) check(map);
    },
  });
}

/**
 * The value of a YAML text from outside. Its size and nesting are bounded before it is parsed, so that it takes neither the
 * process nor its memory. Throws input-invalid above the limits, and an Error with the line for a text that is not YAML.
 */
export function parseYaml(text: string): unknown {
  const bytes = Buffer.byteLength(text);
  if (bytes > mostYamlBytes) {
    throw refused(
      `The YAML has ${bytes} bytes, at most ${mostYamlBytes} are read`,
      'Use a run specification, or a part of one, without data.',
    );
  }
  const lines = new LineCounter();
  const composer = new Composer({ uniqueKeys: false, lineCounter: lines });
  const [document, another] = composer.compose(boundedTokens(text, lines), true, text.length);
  // Composing gives one also for an empty text.
  if (document === undefined) return null;
  const [first] = document.errors;
  if (first !== undefined) throw placed(first.message, first.pos[0], lines);
  if (another !== undefined)
    throw placed('The text must be one YAML document: another begins', another.range[0], lines);
  checkKeys(document, lines);
  return document.toJS() as unknown;
}
