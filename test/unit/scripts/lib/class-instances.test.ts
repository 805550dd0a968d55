import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

interface Instances {
  foreignInstances: (files: readonly string[]) => Promise<readonly string[]>;
}

const { foreignInstances } = (await import(resolve('scripts/lib/class-instances.mjs'))) as Instances;

it('finds a value that is given as an instance of a class, though its constructor did not make it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'class-instances-'));
  try {
    await writeFile(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }');
    const file = join(folder, 'points.ts');
    const source = [
      'class Point { constructor(readonly x: number) {} }',
      'export const made: Point = new Point(1); // ä',
      'export const given: Point = { x: 1 };',
    ];
    await writeFile(file, source.join('\n'));
    expect(await foreignInstances([file])).toEqual([
      expect.stringMatching(/points\.ts:3: .*\bPoint\b/) as string,
    ]);
    await writeFile(file, source.slice(0, 2).join('\n'));
    expect(await foreignInstances([file])).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
