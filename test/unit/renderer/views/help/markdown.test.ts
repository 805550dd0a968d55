import { expect, it } from 'vitest';
import {
  headingName,
  linkedPage,
  parseMarkdown,
  parseSpans,
} from '../../../../../renderer/views/help/markdown';

it('reads headings, paragraphs, lists, code and tables', () => {
  const text = [
    '# Title',
    '',
    'One line',
    'and another.',
    '',
    '- first',
    '  continued',
    '- second',
    '',
    '```sh',
    '# not a heading',
    '```',
    '',
    '| a | b |',
    '|---|---|',
    '| `x\\|y` | 2 |',
    '![picture](pictures/a.png)',
  ].join('\n');
  expect(parseMarkdown(text)).toEqual([
    { kind: 'heading', level: 1, text: 'Title' },
    { kind: 'paragraph', text: 'One line and another.' },
    { kind: 'list', ordered: false, items: ['first continued', 'second'] },
    { kind: 'code', text: '# not a heading' },
    { kind: 'table', head: ['a', 'b'], rows: [['`x|y`', '2']] },
  ]);
});

it('reads code, emphasis and links in a line', () => {
  expect(parseSpans('Use **Run** with `a *b*` as [the guide](window.md#runs) says.')).toEqual([
    { kind: 'text', text: 'Use ' },
    { kind: 'strong', text: 'Run' },
    { kind: 'text', text: ' with ' },
    { kind: 'code', text: 'a *b*' },
    { kind: 'text', text: ' as ' },
    { kind: 'link', text: 'the guide', to: 'window.md#runs' },
    { kind: 'text', text: ' says.' },
  ]);
});

it('follows links between pages, and none that lead elsewhere', () => {
  expect(linkedPage('guide/window', 'load.md#levels')).toEqual({ page: 'guide/load', heading: 'levels' });
  expect(linkedPage('guide/window', '../reference/cli.md')).toEqual({ page: 'reference/cli', heading: null });
  expect(linkedPage('guide/window', '#runs')).toEqual({ page: 'guide/window', heading: 'runs' });
  expect(linkedPage('guide/window', '../../README.md')).toBeNull();
  expect(linkedPage('guide/window', 'https://docs.nvidia.com/a.md')).toBeNull();
});

it('names headings as links do', () => {
  expect(headingName('Ports and addresses')).toBe('ports-and-addresses');
  expect(headingName('`run.yaml`, and [its schema](schemas.md)')).toBe('runyaml-and-its-schema');
  expect(headingName('p99 budget (optional)')).toBe('p99-budget-optional');
});
