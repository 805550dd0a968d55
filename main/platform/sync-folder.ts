import { open } from 'node:fs/promises';

/** Puts the entries of a folder on disk: without it a power cut can take a new file away, however well its bytes were written. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
