import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { repoRoot } from './layout.mjs';

/** What is counted or measured before "a second" or "a request" where "per" is meant; "takes a second" is not. */
const counted =
  '(?:requests|responses|inferences|items|samples|rows|lines|points?|levels|windows|frames|times|events|connections|executions|tokens|tensors|bytes|bits|[KMG]i?B|ms|µs|us|mean|once|twice|\\d+)';

/** What the product does not say, each with what it says in its place. */
const banned = [
  // "There is no such file" is how everybody says it, and "is no longer" and "is no more than" have no other form.
  {
    phrase: /(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b|less\b|fewer\b|later\b|earlier\b)(?=\w)/i,
    write: '"is not a", or "has no"',
  },
  // A package has no scripts of the clone.
  { phrase: /\bnpm run cli\b/i, write: '"triton-workbench"' },
  { phrase: /\bof effect\b/i, write: '"applies only with"' },
  { phrase: /\bmend(?:s|ed|ing)?\b/i, write: '"fix"' },
  { phrase: /\bstands?\b(?!-| for\b)/i, write: '"is" or "appears"' },
  { phrase: /(?<!-)\balone\b/i, write: '"only"' },
  { phrase: /\b(?:tell|tells|telling|told) of\b/i, write: '"report" or "say"' },
  { phrase: /\b(?:go|goes|going|went|gone) on\b/i, write: '"continue"' },
  {
    phrase: new RegExp(
      `\\b${counted} an? (?:second|minute|hour|request|batch size|batch|window|level|instance|item|token|input|output)\\b`,
      'i',
    ),
    write: '"per"',
  },
];

/** The banned phrases in a text, each with its place in it and what to write. */
export function bannedIn(text) {
  return banned.flatMap(({ phrase, write }) =>
    [...text.matchAll(new RegExp(phrase, `${phrase.flags}g`))].map((match) => ({
      at: match.index,
      phrase: match[0].trim(),
      write,
    })),
  );
}

/** Text of a program that people can read: strings, templates between their values, and text between JSX tags. */
function textsOfProgram(name, text) {
  const texts = [];
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, false);
  const visit = (node) => {
    if (
      ts.isStringLiteral(node) ||
      ts.isNoSubstitutionTemplateLiteral(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node) ||
      ts.isJsxText(node)
    ) {
      const at = node.getStart(source);
      texts.push({ at, text: text.slice(at, node.end) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/** Strings in quotes on one line, but no docstrings and no comments. */
function textsOfPython(text) {
  const code = text.replace(/"""[^]*?"""|^\s*#.*$/gm, (part) => part.replace(/[^\n]/g, ' '));
  return [...code.matchAll(/"(?:[^"\\\n]|\\.)*"/g)].map((match) => ({ at: match.index, text: match[0] }));
}

/** Without code: names and commands are as they are. */
const textsOfMarkdown = (text) => [
  { at: 0, text: text.replace(/```[^]*?```|`[^`\n]*`/g, (part) => part.replace(/[^\n]/g, '·')) },
];

const textsOfYaml = (text) => [
  { at: 0, text: text.replace(/(?<=^|\s)#.*$/gm, (part) => part.replace(/./g, ' ')) },
];

function textsOf(name, text) {
  if (name.endsWith('.md')) return textsOfMarkdown(text);
  if (name.endsWith('.yaml')) return textsOfYaml(text);
  return name.endsWith('.py') ? textsOfPython(text) : textsOfProgram(name, text);
}

/** The banned phrases of a file's visible text: `file:line: "phrase": write …` each. */
export function bannedInFile(name, text) {
  return textsOf(name, text).flatMap((part) =>
    bannedIn(part.text).map(({ at, phrase, write }) => {
      const line = text.slice(0, part.at + at).split('\n').length;
      return `${name}:${line}: "${phrase}": write ${write}`;
    }),
  );
}

const places = [
  ...['main', 'electron', 'renderer'].map((folder) => ({ folder, kinds: /\.tsx?$/ })),
  { folder: 'scripts', kinds: /(?<!banned-phrases)\.mjs$/ },
  { folder: 'resources', kinds: /\.(?:py|yaml)$/ },
  { folder: 'docs', kinds: /\.md$/ },
];

/** Every banned phrase that people can read in window, command line, errors, presets and documents. */
export function bannedPhrases() {
  const below = places.flatMap(({ folder, kinds }) =>
    readdirSync(join(repoRoot, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && kinds.test(entry.name))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
  );
  const beside = readdirSync(repoRoot).filter((name) => name.endsWith('.md'));
  return [...beside.map((name) => join(repoRoot, name)), ...below].flatMap((path) =>
    bannedInFile(relative(repoRoot, path), readFileSync(path, 'utf8')),
  );
}
