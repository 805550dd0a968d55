import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const captureFolder = join(import.meta.dirname, '../../fixtures/nvidia-smi');

/** A real output of nvidia-smi, see the README of the folder. */
export function readCapture(name: string): Promise<string> {
  return readFile(join(captureFolder, name), 'utf8');
}
