import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundledPackages, packageFolderOf } from '../../../../../scripts/lib/package/bundled-packages';

it.each([
  ['/clone/node_modules/zod/index.js', 'node_modules/zod'],
  ['/clone/node_modules/@mantine/core/esm/x.mjs?used', 'node_modules/@mantine/core'],
  ['\0/clone/node_modules/react/index.js?commonjs-module', 'node_modules/react'],
  ['/clone/node_modules/a/node_modules/@b/c/d.js', 'node_modules/a/node_modules/@b/c'],
  ['C:\\clone\\node_modules\\zod\\index.js', 'node_modules/zod'],
])('names the package of %j', (id, folder) => {
  expect(packageFolderOf(id)).toBe(folder);
});

it.each(['/clone/main/core.ts', '\0rolldown/runtime.js', '/node_modules'])(
  'takes %j for the product’s own',
  (id) => {
    expect(packageFolderOf(id)).toBeNull();
  },
);

it('writes each package once, sorted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-bundled-'));
  const file = join(folder, 'deep', 'main.json');
  bundledPackages(file).generateBundle(null, {
    'a.cjs': {
      type: 'chunk',
      moduleIds: ['/c/node_modules/zod/a.js', '/c/main/a.ts', '/c/node_modules/zod/b.js'],
    },
    'b.cjs': { type: 'chunk', moduleIds: ['/c/node_modules/p-limit/index.js'] },
    'a.css': { type: 'asset' },
  });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(['node_modules/p-limit', 'node_modules/zod']);
  rmSync(folder, { recursive: true });
});
