import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from '../layout.mjs';
import { treeFiles } from './tree-rules.mjs';

const tokensFile = 'renderer/styles/tokens.css';

const rules = [
  {
    property: /.*/,
    value:
      /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|oklab|oklch|lab|lch)\(|\b(?:white|black|red|green|blue|gr[ae]y|yellow|orange)\b(?!-)/i,
    write: 'a color of',
  },
  { property: /^font-size$/, value: /^(?!var\(--type-|inherit)/, write: 'a --type- token of' },
  { property: /^font-weight$/, value: /^(?!var\(--weight-|inherit)/, write: 'a --weight- token of' },
  { property: /^font$/, value: /^(?!inherit)/, write: 'font-size and font-weight with tokens of' },
  { property: /^(?:row-|column-)?gap$/, value: /\d+(?:px|rem|em)/, write: 'a --space- token of' },
];

/** What a sheet writes by hand in place of a token, and the tokens that it names and nobody defines. */
export function sheetProblems(file, sheet, tokens) {
  const text = sheet.replace(/\/\*.*?\*\//gs, (comment) => comment.replace(/[^\n]/g, ' '));
  const defined = new Set([...`${tokens}${text}`.matchAll(/(--[a-z][\w-]*)\s*:/g)].map(([, name]) => name));
  const lineOf = (at) => text.slice(0, at).split('\n').length;
  const problems = [];
  for (const { 1: property, 2: value, index } of text.matchAll(/([a-z-]+)\s*:\s*([^;{}]+)[;}]/g)) {
    const said = `${file}:${lineOf(index)}: ${property}: ${value.trim()}`;
    const broken = rules.find((rule) => rule.property.test(property) && rule.value.test(value.trim()));
    if (broken) problems.push(`${said}; write ${broken.write} ${tokensFile}`);
    for (const [, name] of value.matchAll(/var\((--(?!mantine-)[\w-]+)/g)) {
      if (!defined.has(name)) problems.push(`${said}; ${name} is not defined in ${tokensFile}`);
    }
  }
  // The documentation beside a page takes a part of the window's width.
  for (const { index } of text.matchAll(/@media[^{]*\bwidth\b/g)) {
    problems.push(
      `${file}:${lineOf(index)}: a width of the window; write @container page, the width of the page`,
    );
  }
  // All below the element is styled anew with each that comes or goes there: charts were drawn five times as slowly.
  for (const { index } of text.matchAll(/:has\((?!\.confirm\))/g)) {
    problems.push(
      `${file}:${lineOf(index)}: :has() but of a question in its row; give the element a class of its own`,
    );
  }
  return problems;
}

/** A token that no sheet, view or theme draws from. */
export function idleTokens(tokens, sources) {
  return [...new Set([...tokens.matchAll(/(--[a-z][\w-]*)\s*:/g)].map(([, name]) => name))]
    .filter((name) => !name.startsWith('--mantine-') && !sources.includes(`var(${name})`))
    .map((name) => `${tokensFile}: ${name} is not used`);
}

export function sheetRules() {
  const read = (file) => readFileSync(join(repoRoot, file), 'utf8');
  const tokens = read(tokensFile);
  const files = treeFiles('renderer/*.css', 'renderer/*.ts', 'renderer/*.tsx').filter(
    (file) => file !== tokensFile,
  );
  const sheets = files.filter((file) => file.endsWith('.css'));
  return [
    ...sheets.flatMap((file) => sheetProblems(file, read(file), tokens)),
    ...idleTokens(tokens, tokens + files.map(read).join('\n')),
  ];
}
