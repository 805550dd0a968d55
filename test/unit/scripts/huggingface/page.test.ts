import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

interface Page {
  readonly writePart: (file: string, part: 'tensors' | 'pipelines' | 'cost', found: unknown) => void;
}
const { writePart } = (await import(resolve('scripts/huggingface/page.mjs'))) as Page;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-page-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const row = ['bert-text', 1, 'whole', '1.00 ± 0.10', '2.00 ± 0.10', '1.00 ± 0.20'];

it('replaces its part of a page, and nothing else', async () => {
  const own = await readFile(join('docs', 'huggingface.md'), 'utf8');
  const page = join(dir, 'page.md');
  await writeFile(page, own);
  for (let time = 0; time < 2; time += 1) writePart(page, 'cost', [row]);
  const written = await readFile(page, 'utf8');
  const [before] = own.split('<!-- begin cost');
  expect(written.startsWith(before ?? '')).toBe(true);
  expect(written.match(/\| bert-text \| 1 \| whole \| 1\.00 ± 0\.10 \|/g)).toHaveLength(1);
  expect(written.match(/<!-- end cost -->\n$/g)).toHaveLength(1);
  writePart(page, 'pipelines', { served: [{ cells: ['mine', 'passed'] }], generated: [], caught: [] });
  const both = await readFile(page, 'utf8');
  expect(both).toContain('| mine | passed |');
  expect(both.slice(0, both.indexOf('<!-- begin pipelines'))).toBe(
    own.slice(0, own.indexOf('<!-- begin pipelines')),
  );
  expect(both.slice(both.indexOf('<!-- begin cost'))).toBe(written.slice(written.indexOf('<!-- begin cost')));
  // Headings that the guide links to.
  expect(both).toContain('\n## Pipelines\n');
  expect(both).toContain('\n## Pipelines that generate\n');
});

it('makes a page that is not there, and refuses one without a place for the part', async () => {
  const page = join(dir, 'new.md');
  writePart(page, 'tensors', [{ cells: ['gpt2', 'onnx'] }]);
  expect(await readFile(page, 'utf8')).toContain('| gpt2 | onnx |');
  expect(() => writePart(page, 'cost', [row])).toThrow(
    'has no lines "<!-- begin cost: npm run test:huggingface -- --cost -->"',
  );
});
