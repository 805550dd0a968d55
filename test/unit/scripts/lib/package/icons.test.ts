import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const { drawIcons, iconSizes } = (await import(resolve('scripts/lib/package/icons.mjs'))) as {
  drawIcons: (svg: string, folder: string) => Promise<void>;
  iconSizes: readonly number[];
};

it('draws the icon in every size, no two the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-icons-'));
  await drawIcons('resources/icons/triton-workbench.svg', folder);
  const files = readdirSync(folder).map((name) => ({ name, png: readFileSync(join(folder, name)) }));
  // Of a PNG: signature, then the header with width and height.
  const seen = files.map(({ name, png }) => [
    name,
    png.toString('latin1', 1, 4),
    `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}.png`,
  ]);
  expect(seen.sort()).toEqual(
    iconSizes.map((size) => [`${size}x${size}.png`, 'PNG', `${size}x${size}.png`]).sort(),
  );
  rmSync(folder, { recursive: true });
});
