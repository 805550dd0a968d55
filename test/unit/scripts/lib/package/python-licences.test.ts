import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const { pythonLicences } = (await import(resolve('scripts/lib/package/python-licences.mjs'))) as {
  pythonLicences: (interpreters: readonly string[]) => Promise<Record<string, string>>;
};

it('takes what each environment says, the later over the earlier, and passes over one that is missing or fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-licences-'));
  const place = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const first = place('first', `echo '{"a": "MIT", "b": "BSD"}'`);
  const second = place('second', `echo '{"b": "Apache-2.0"}'`);
  const broken = place('broken', 'echo oops; exit 1');
  expect(await pythonLicences([first, join(folder, 'none'), broken, second])).toEqual({
    a: 'MIT',
    b: 'Apache-2.0',
  });
  rmSync(folder, { recursive: true });
});
