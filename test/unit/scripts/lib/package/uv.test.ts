import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { bundledUv } from '../../../../../main/setup/uv';

const { uvSoftware } = (await import(resolve('scripts/lib/package/uv.mjs'))) as {
  uvSoftware: (folder: string) => object;
};

it('the notice of uv has its version and both licences', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twb-uv-'));
  const licences = join(folder, 'uv-1.2.3.dist-info', 'licenses');
  mkdirSync(licences, { recursive: true });
  writeFileSync(join(licences, 'LICENSE-MIT'), 'Text of MIT\n');
  writeFileSync(join(licences, 'LICENSE-APACHE'), 'Text of Apache\n');
  expect(uvSoftware(folder)).toEqual({
    ...{ kind: 'program', name: 'uv', version: '1.2.3', license: 'MIT OR Apache-2.0' },
    text: 'Text of Apache\n\nText of MIT',
  });
  rmSync(folder, { recursive: true });
});

it('uv is looked for beside the archive of a package only', () => {
  expect(bundledUv('/opt/app/resources/app.asar.unpacked/resources')).toBe('/opt/app/resources/uv/uv');
  expect(bundledUv('/home/me/clone/resources')).toBeNull();
});
