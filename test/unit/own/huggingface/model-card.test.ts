import { describe, expect, it } from 'vitest';
import { folderFiles } from '../../../../main/own/huggingface/folder-files';
import { parseModelCard, readModelCard } from '../../../../main/own/huggingface/model-card';
import { putHuggingFace } from '../../../support/huggingface-folder';
import { useModelBench } from '../../../support/model-bench';

const nothing = { license: null, tags: [], pipelineTag: null, baseModels: [] };
const card = (...lines: readonly string[]): string => ['---', ...lines, '---', '', '# My model'].join('\n');

describe('the front matter of a model card', () => {
  it('states license, tags, task and base model', () => {
    const text = card(
      ...['license: apache-2.0', 'tags:', '- text-classification', '- sentiment'],
      ...['pipeline_tag: text-classification', 'base_model: google-bert/bert-base-uncased', 'datasets: [x]'],
    );
    expect(parseModelCard(text)).toEqual({
      license: 'apache-2.0',
      tags: ['text-classification', 'sentiment'],
      pipelineTag: 'text-classification',
      baseModels: ['google-bert/bert-base-uncased'],
    });
  });

  it('of another license has its name, and lists have all entries', () => {
    const text = card('license: other', 'license_name: llama3.1', 'base_model:', '  - a/b', '  - c/d');
    expect(parseModelCard(text)).toMatchObject({ license: 'other (llama3.1)', baseModels: ['a/b', 'c/d'] });
    expect(parseModelCard(card('license: [mit, apache-2.0]')).license).toBe('mit, apache-2.0');
  });

  it('is found beside evaluation results that are larger than any YAML that is read', () => {
    const results = Array.from({ length: 20_000 }, (_, at) => `  - value: ${at}`);
    const text = card('model-index:', ...results, 'license: mit', 'more:', ...results);
    expect(text.length).toBeGreaterThan(256 * 1024);
    expect(parseModelCard(text)).toEqual({ ...nothing, license: 'mit' });
  });

  it.each([
    '# My model',
    '',
    '---\nlicense: mit\n',
    'x\n---\nlicense: mit\n---\n',
    card('- a'),
    card('x: y'),
  ])('that is missing states nothing: %j', (text) => {
    expect(parseModelCard(text)).toEqual(nothing);
  });

  it.each([
    card('license: [mit', 'tags: x'),
    card('tags: *nowhere'),
    card(`tags: ${'['.repeat(2000)}${']'.repeat(2000)}`),
    card(`tags: "${'x'.repeat(70_000)}"`),
  ])('that cannot be read refuses no model, and says so (%#)', (text) => {
    const { problem, ...rest } = parseModelCard(text);
    expect(rest).toEqual(nothing);
    expect(problem?.length).toBeLessThan(100);
  });

  it('is text from outside: short, of one line, and of a kind that is shown', () => {
    const text = card(
      ...['license: "m\\u001b[31mit\\nx"', `tags: [${'a, '.repeat(200)}7, {a: b}]`],
      `pipeline_tag: ${'x'.repeat(500)}`,
    );
    const found = parseModelCard(text);
    expect(found.license).toBe('mitx');
    expect(found.tags).toHaveLength(64);
    expect(found.pipelineTag?.length).toBeLessThan(100);
  });
});

describe('README.md of a folder', () => {
  const bench = useModelBench();
  const read = async (files: Readonly<Record<string, string>>) => {
    const folder = await putHuggingFace(bench(), { files });
    return readModelCard(folder, await folderFiles(folder));
  };

  it('is read within its limit', async () => {
    expect(await read({})).toBeNull();
    expect(await read({ 'README.md': card('license: mit') })).toMatchObject({ license: 'mit' });
    const large = await read({ 'README.md': card('license: mit') + 'x'.repeat(2 ** 20) });
    expect(large).toEqual({
      ...nothing,
      problem: expect.stringContaining('at most 1048576 are read') as unknown,
    });
  });
});
