import { resolve } from 'node:path';
import { expect, it } from 'vitest';

interface Rules {
  sheetProblems: (file: string, sheet: string, tokens: string) => readonly string[];
  idleTokens: (tokens: string, sources: string) => readonly string[];
  sheetRules: () => readonly string[];
}

const { sheetProblems, idleTokens, sheetRules } = (await import(
  resolve('scripts/lib/rules/sheet-rules.mjs')
)) as Rules;

const tokens = ':root { --line: #ddd; --type-body: 13px; --weight-strong: 600; --space-8: 8px; }';
const problems = (sheet: string) => sheetProblems('a.css', sheet, tokens);

it('takes a sheet that draws from the tokens', () => {
  const sheet = `
    /* Not #fff, and not 12px. */
    .a { color: var(--line); font-size: var(--type-body); font-weight: var(--weight-strong); font: inherit; }
    .b { gap: var(--space-8) 0; white-space: nowrap; border: 1px solid transparent; --wide: 3px; width: var(--wide); }
    .c { background: color-mix(in srgb, var(--line) 82%, transparent); color: var(--mantine-color-error); }`;
  expect(problems(sheet)).toEqual([]);
});

it.each([
  ['color: #fff', 'a color of'],
  ['box-shadow: 0 4px 16px rgb(0 0 0 / 25%)', 'a color of'],
  ['background: white', 'a color of'],
  ['font-size: 12px', 'a --type- token of'],
  ['font-weight: bold', 'a --weight- token of'],
  ['font: 600 12px serif', 'font-size and font-weight with tokens of'],
  ['row-gap: 5px', 'a --space- token of'],
  ['color: var(--lime)', '--lime is not defined in'],
])('refuses %s, with its line', (declaration, why) => {
  expect(problems(`.a {\n  ${declaration};\n}`)).toEqual([
    expect.stringMatching(new RegExp(`^a\\.css:2: .*${why} renderer/styles/tokens\\.css$`)),
  ]);
});

it('refuses a query of the window’s width, which is not that of a page', () => {
  expect(problems('.a { color: var(--line); }\n@media (width < 1180px) {\n}')).toEqual([
    'a.css:2: a width of the window; write @container page, the width of the page',
  ]);
  expect(
    problems('@media (prefers-reduced-motion: reduce) {\n}\n@container page (width < 1100px) {\n}'),
  ).toEqual([]);
});

it('refuses :has(), by which all below is styled anew with each element, but in a row with a question', () => {
  expect(problems('tr:has(.confirm) { color: inherit; }\n.b:not(:has(.c)) {\n}')).toEqual([
    'a.css:2: :has() but of a question in its row; give the element a class of its own',
  ]);
});

it('names a token that nothing draws from', () => {
  expect(idleTokens(tokens, 'var(--line) var(--type-body) var(--space-8)')).toEqual([
    'renderer/styles/tokens.css: --weight-strong is not used',
  ]);
});

it('finds nothing in the sheets of the window', () => {
  expect(sheetRules()).toEqual([]);
});
