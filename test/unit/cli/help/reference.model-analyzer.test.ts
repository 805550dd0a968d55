import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const page = readFileSync(join(process.cwd(), 'docs', 'guide', 'model-analyzer.md'), 'utf8');
/** What stands in the first column of a table, in code. */
const mapped = new Set(
  page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) =>
      [...(line.split('|')[1] ?? '').matchAll(/`([a-z\d_]+)`/g)].map(([, name = '']) => name),
    ),
);

it.each(['options', 'columns'])('the guide maps all %s of Model Analyzer', (what) => {
  const file = join(process.cwd(), 'test', 'fixtures', 'model-analyzer', `${what}-26.04.txt`);
  const names = readFileSync(file, 'utf8').trim().split('\n');
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !mapped.has(name))).toEqual([]);
});
