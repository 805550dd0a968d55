import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Edges in pixels: what the icon themes of Linux have, and what macOS and Windows scale from. */
export const iconSizes = [16, 24, 32, 48, 64, 96, 128, 256, 512, 1024];

/** Draws the icon in every size: `<size>x<size>.png` in `folder`. */
export async function drawIcons(svgFile, folder) {
  const require = createRequire(import.meta.url);
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  await initWasm(readFileSync(require.resolve('@resvg/resvg-wasm/index_bg.wasm')));
  const svg = readFileSync(svgFile, 'utf8');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const size of iconSizes) {
    const image = new Resvg(svg, {
      fitTo: { mode: 'width', value: size },
      font: { loadSystemFonts: false },
    }).render();
    writeFileSync(join(folder, `${size}x${size}.png`), image.asPng());
    image.free();
  }
}
