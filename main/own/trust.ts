import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import type { ModelSource } from '../contract/run-spec';
import { hashFile, writeFileAtomic } from '../platform/files';
import type { ModelFile } from './model-files';
import { listModelFiles } from './model-files';

const trustedSchema = z.strictObject({
  version: z.literal(1),
  /** SHA-256 over names and contents; the path is for people. */
  trusted: z.array(z.strictObject({ hash: z.string(), path: z.string(), at: z.string() })),
});

type Place = Pick<ModelSource, 'kind' | 'path'>;

/** A SavedModel is a program too: TensorFlow's operations read and write files. */
const isFolder = (kind: Place['kind']): boolean => kind === 'folder' || kind === 'savedmodel';

/** What the model consists of, as the person who trusts it is shown it. */
export async function filesOf({ kind, path }: Place): Promise<readonly ModelFile[]> {
  if (isFolder(kind)) return listModelFiles(path);
  return kind === 'torchscript' ? [{ path: basename(path), bytes: 0 }] : [];
}

async function hashOf({ kind, path }: Place): Promise<string> {
  if (!isFolder(kind)) return hashFile(path);
  const hash = createHash('sha256');
  for (const file of await listModelFiles(path)) {
    hash.update(`${file.path}\0${await hashFile(join(path, file.path))}\n`);
  }
  return hash.digest('hex');
}

/** What may be executed, by content: one changed byte and the question is asked again. */
export interface Trust {
  isTrusted(place: Place): Promise<boolean>;
  /** Trusts the content that is there now. */
  trust(place: Place): Promise<void>;
  /** Throws not-trusted naming what would be executed. ONNX files are data and need no trust. */
  require(place: Place): Promise<void>;
}

/** @param file `trusted.json` of the home. */
export function createTrust(file: string, now: () => Date): Trust {
  const read = async () => {
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text === null) return [];
    try {
      return trustedSchema.parse(JSON.parse(text)).trusted;
    } catch {
      // A damaged list trusts nothing.
      return [];
    }
  };
  const isTrusted = async (place: Place): Promise<boolean> => {
    if (place.kind === 'onnx') return true;
    const hash = await hashOf(place);
    return (await read()).some((entry) => entry.hash === hash);
  };
  return {
    isTrusted,
    trust: async (place) => {
      const hash = await hashOf(place);
      const others = (await read()).filter((entry) => entry.hash !== hash);
      const trusted = [...others, { hash, path: place.path, at: now().toISOString() }];
      await writeFileAtomic(file, `${JSON.stringify({ version: 1, trusted }, null, 2)}\n`);
    },
    require: async (place) => {
      if (await isTrusted(place)) return;
      const code = (await filesOf(place))
        .map(({ path }) => path)
        .filter((path) => !/\.(md|txt|ya?ml)$/i.test(path));
      const shown = code.slice(0, 12).join(', ') + (code.length > 12 ? `, and ${code.length - 12} more` : '');
      throw new WorkbenchError('not-trusted', `A run would execute code of ${place.path}: ${shown}`, {
        where: place.path,
        remedy: `Read it; then "npm run cli -- trust ${place.path}", add --trust, or press "Trust" in the window.`,
      });
    },
  };
}
