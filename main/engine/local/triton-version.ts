import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';

// The program has no option that prints its version: what it said when it last ran is kept, for this very file.
const rememberedSchema = z.object({ bytes: z.number(), modifiedMs: z.number(), version: z.string() });

const pathOf = (layout: HomeLayout) => join(layout.cache, 'local-triton.json');

export async function rememberTritonVersion(layout: HomeLayout, version: string): Promise<void> {
  const { size, mtimeMs } = await stat(layout.tritonServer);
  const remembered = { bytes: size, modifiedMs: mtimeMs, version };
  await writeFileAtomic(pathOf(layout), `${JSON.stringify(remembered)}\n`);
}

/** null before the first start. */
export async function rememberedTritonVersion(layout: HomeLayout): Promise<string | null> {
  try {
    const { size, mtimeMs } = await stat(layout.tritonServer);
    const remembered = rememberedSchema.parse(JSON.parse(await readFile(pathOf(layout), 'utf8')));
    return remembered.bytes === size && remembered.modifiedMs === mtimeMs ? remembered.version : null;
  } catch {
    return null;
  }
}
