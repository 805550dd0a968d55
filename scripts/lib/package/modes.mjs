import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives what is below `folder` the modes of a package, whatever umask it was made with: everybody may read it, and what
 * may be executed by one may be by all. Special bits stay.
 */
export function openUp(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isSymbolicLink()) continue;
    const { mode } = lstatSync(path);
    chmodSync(path, (mode & 0o7000) | (entry.isDirectory() || (mode & 0o100) !== 0 ? 0o755 : 0o644));
  }
}
