import { resolve } from 'node:path';
import { expect, it } from 'vitest';

interface Rules {
  treeProblems: (files: readonly string[]) => readonly string[];
}

const { treeProblems } = (await import(resolve('scripts/lib/rules/tree-rules.mjs'))) as Rules;

it('takes a test that stands where its source stands, and one of an aspect of it', () => {
  const files = [
    'main/store/journal.ts',
    'renderer/views/run/notices.tsx',
    'main/formats/trt.format.ts',
    'test/unit/store/journal.test.ts',
    'test/unit/store/journal.bounds.test.ts',
    'test/unit/renderer/views/run/notices.damage.test.tsx',
    'test/unit/formats/trt.format.test.ts',
  ];
  expect(treeProblems(files)).toEqual([]);
});

it('names a test without a source and a folder that is too full', () => {
  const many = Array.from({ length: 26 }, (_, index) => `main/store/file-${index}.ts`);
  expect(treeProblems([...many, 'test/unit/store/other.test.ts'])).toEqual([
    'main/store: 26 files; at most 25 in a folder',
    expect.stringContaining('test/unit/store/other.test.ts: '),
  ]);
});
