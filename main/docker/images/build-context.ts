import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pack } from 'tar-stream';
import { pack as createPack } from 'tar-stream';
import { listFiles } from '../../platform/files';
import type { RecipeFile } from './image-recipe';

/** The same bytes for the same content, wherever and whenever it is packed. */
const common = { mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' } as const;

async function addFile(pack: Pack, name: string, path: string): Promise<void> {
  const { size } = await stat(path);
  await pipeline(createReadStream(path), pack.entry({ ...common, name, size, mode: 0o644 }));
}

async function fill(pack: Pack, files: readonly RecipeFile[], wheels: string | null): Promise<void> {
  for (const { name, content } of files) {
    pack.entry({ ...common, name, mode: 0o644 }, content);
  }
  // COPY of the Dockerfiles needs the folder, with wheels or without.
  pack.entry({ ...common, name: 'wheels/', type: 'directory', mode: 0o755 });
  for (const path of wheels === null ? [] : await listFiles(wheels)) {
    if (path.endsWith('.whl')) {
      await addFile(pack, `wheels/${path.split(sep).join('/')}`, join(wheels ?? '', path));
    }
  }
  pack.finalize();
}

/**
 * The build context as a tar stream: the recipe's files, and the wheels of a folder under `wheels/`.
 * A file that cannot be read ends the stream with that error.
 */
export function packBuildContext(files: readonly RecipeFile[], wheels: string | null): Readable {
  const pack = createPack();
  fill(pack, files, wheels).catch((error: unknown) => {
    pack.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  // The library's stream is not one of Node's.
  return Readable.from(pack, { objectMode: false });
}
