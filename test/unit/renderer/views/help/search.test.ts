import { expect, it } from 'vitest';
import type { Document } from '../../../../../main/contract/calls/application-calls';
import { readDocuments } from '../../../../../main/home/documents';
import { searchOf } from '../../../../../renderer/views/help/search';

const document = (id: string, title: string, ...lines: readonly string[]): Document => ({
  ...{ id, title, group: 'Start' },
  text: [`# ${title}`, '', ...lines].join('\n'),
});

const find = await searchOf([
  document(
    'guide/monitor',
    'Monitor',
    'Watches a server.',
    '',
    '## Alert rules',
    '',
    'A **rule** has a `limit`.',
  ),
  document('guide/load', 'Load', 'What is sent, and the limit of it.'),
  document('about/changelog', 'Changelog', 'Alert rules are new.'),
]);

it('finds a section by the beginning of its words, the heading before the text, the changelog last', () => {
  expect(find('alert ru').map(({ place }) => place)).toEqual([
    { page: 'guide/monitor', heading: 'alert-rules' },
    { page: 'about/changelog', heading: null },
  ]);
  expect(find('')).toEqual([]);
  expect(find('alert server nowhere')).toEqual([]);
});

it('shows where the words are, without the marks of Markdown', () => {
  const [result] = find('limit rule');
  expect(result).toMatchObject({ title: 'Monitor', heading: 'Alert rules' });
  expect(result?.excerpt).toEqual([
    { text: 'A ', found: false },
    { text: 'rule', found: true },
    { text: ' has a ', found: false },
    { text: 'limit', found: true },
    { text: '.', found: false },
  ]);
});

it('cuts a long section around the first word that is found', async () => {
  const long = await searchOf([
    document('guide/a', 'A', `${'first '.repeat(50)}needle${' last'.repeat(50)}`),
  ]);
  const [result] = long('needle');
  expect(result?.excerpt.map(({ text }) => text)).toEqual([
    '… ',
    expect.stringMatching(/^(first ){5,7}$/),
    'needle',
    expect.stringMatching(/^( last)+/),
    ' …',
  ]);
});

it('takes a slip of the keyboard', () => {
  expect(find('montor').map(({ place }) => place.page)).toContain('guide/monitor');
});

it('the guide answers what one would type', async () => {
  const guide = await searchOf(await readDocuments('.'));
  const pages = (asked: string) =>
    guide(asked)
      .slice(0, 12)
      .map(({ place }) => place.page);
  expect(pages('dynamic batching delay')).toContain('guide/glossary');
  expect(pages('latency budget')).toContain('guide/window');
  expect(pages('docker group')).toContain('guide/hosts');
  expect(pages('roll back')).toContain('guide/deployments');
  expect(pages('my own onnx')).toContain('guide/own-models');
});
