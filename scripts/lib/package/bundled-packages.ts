import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folder of the package that a module of a bundle is of, from node_modules on; null for the product's own. */
export function packageFolderOf(moduleId: string): string | null {
  const parts = moduleId.replaceAll('\0', '').replaceAll('\\', '/').split('/');
  const first = parts.indexOf('node_modules');
  const last = parts.lastIndexOf('node_modules');
  if (first === -1) return null;
  const end = last + (parts[last + 1]?.startsWith('@') === true ? 3 : 2);
  return parts.length > end ? parts.slice(first, end).join('/') : null;
}

interface Bundle {
  readonly [file: string]: { readonly type: string; readonly moduleIds?: readonly string[] };
}

/**
 * Vite plugin: writes which packages a bundle really contains, for the notices of a package.
 * @param file a JSON list of folders, from node_modules on
 */
export function bundledPackages(file: string) {
  return {
    name: 'bundled-packages',
    generateBundle(_options: unknown, bundle: Bundle): void {
      const ids = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
      const folders = new Set(ids.map(packageFolderOf).filter((folder) => folder !== null));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${JSON.stringify([...folders].sort(), null, 2)}\n`);
    },
  };
}
