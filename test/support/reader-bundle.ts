import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

const made = new Map<string, Promise<string>>();

async function bundled(entry: string): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'reader-bundle-'));
  process.once('exit', () => {
    rmSync(outDir, { recursive: true, force: true });
  });
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node18',
      outDir,
      minify: false,
      rolldownOptions: {
        external: [/\.node$/],
        input: { reader: join(process.cwd(), entry) },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  });
  return join(outDir, 'reader.cjs');
}

/** A reader's process as it is bundled for the product, made once for all tests of this process. */
export function readerBundle(entry = 'main/core/reader-process.ts'): Promise<string> {
  const known = made.get(entry) ?? bundled(entry);
  made.set(entry, known);
  return known;
}
