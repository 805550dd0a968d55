import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { invalidInput, WorkbenchError } from '../contract/errors';
import type { Format, ModelSource } from '../contract/run/run-spec';
import { exportedFormat } from '../formats/formats';
import { hashFile, writeFileAtomic } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';
import { privateFile } from '../platform/private-home';
import { withFileTurn } from '../store/file-lease';
import { hashHuggingFace } from './huggingface/folder-files';
import { fileRefused, listModelFiles, type ModelFile } from './model-files';
import type { ModelReaders } from './model-readers';
import { executesFiles } from './repository/served-models';

const trustedSchema = z.strictObject({
  version: z.literal(1),
  /** SHA-256 over names and contents; the path is only informative. */
  trusted: z.array(z.strictObject({ hash: z.string(), path: z.string(), at: z.string() })),
});

/** `format`, where served, selects the runtime that reads the file. */
type ModelLocation = Pick<ModelSource, 'kind' | 'path'> & {
  readonly format?: Format | undefined;
  /** Each model that is served of it is trusted by itself. */
  readonly repository?: ModelSource['repository'];
};

/** By the file system, whatever the specification. Throws input-invalid, model-file-invalid. */
async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    const remedy = 'Put it back, or open the model where it is now.';
    throw invalidInput(path, `The model ${path} does not exist`, remedy);
  }
  if (found.isDirectory() || found.isFile()) return found.isDirectory();
  const remedy = 'Give a model file or folder, not a pipe, socket or device.';
  throw fileRefused(path, `${path} is not a file or folder`, remedy);
}

/**
 * Only ONNX by kind, format and content is data, files of trees, and a Hugging Face folder of which nothing is code. All else is code:
 * Python, TorchScript, and SavedModel, whose operations access files. Throws model-file-invalid or model-folder-invalid
 * where these disagree.
 */
async function isData(
  { kind, path, format = 'onnx' }: ModelLocation,
  readers: ModelReaders,
): Promise<boolean> {
  if (kind === 'huggingface') {
    await readers.huggingFace({ path });
    return true;
  }
  if (kind === 'trees') {
    await readers.trees({ path });
    return true;
  }
  if (kind !== 'onnx' || exportedFormat(format) !== 'onnx' || (await isFolder(path))) return false;
  await readers.onnx({ path });
  return true;
}

export async function filesOf(location: ModelLocation, readers: ModelReaders): Promise<readonly ModelFile[]> {
  if (await isData(location, readers)) return [];
  if (await isFolder(location.path)) return listModelFiles(location.path);
  return [{ path: basename(location.path), bytes: 0 }];
}

async function hashOf({ kind, path }: ModelLocation): Promise<string> {
  if (kind === 'huggingface') return hashHuggingFace(path);
  if (!(await isFolder(path))) return hashFile(path);
  const hash = createHash('sha256');
  for (const file of await listModelFiles(path)) {
    hash.update(`${file.path}\0${await hashFile(join(path, file.path))}\n`);
  }
  return hash.digest('hex');
}

/** The folders that Triton would execute files of; else the model itself. */
async function partsOf(location: ModelLocation, readers: ModelReaders): Promise<readonly ModelLocation[]> {
  const { repository, path } = location;
  if (repository === undefined) return [location];
  const parts: ModelLocation[] = [];
  for (const { name } of repository.models) {
    const folder = join(dirname(path), name);
    if (await executesFiles(folder, readers)) parts.push({ kind: 'folder', path: folder });
  }
  return parts;
}

/** Of one part its own. */
function hashOfAll(hashes: readonly string[]): string {
  const [only = ''] = hashes;
  return hashes.length === 1 ? only : createHash('sha256').update(hashes.join('\n')).digest('hex');
}

/** By content: any changed byte asks again. */
export interface Trust {
  isTrusted(location: ModelLocation): Promise<boolean>;
  /** SHA-256 (hex) over names and contents of all that would be trusted. */
  hash(location: ModelLocation): Promise<string>;
  /**
   * Trusts the current content.
   * @param shown hash that the person agreed to; throws not-trusted where it differs by now
   */
  trust(location: ModelLocation, shown?: string): Promise<void>;
  /** Throws not-trusted naming what would be executed. ONNX files need no trust. */
  require(location: ModelLocation): Promise<void>;
}

/** @param file `trusted.json` of the home */
export function createTrust(file: string, now: () => Date, readers: ModelReaders): Trust {
  const read = async () => {
    const text = await readFile(file, 'utf8').catch(() => '');
    // A damaged list trusts nothing.
    return trustedSchema.safeParse(jsonOrNull(text)).data?.trusted ?? [];
  };
  const isTrusted = async (location: ModelLocation): Promise<boolean> => {
    for (const part of await partsOf(location, readers)) {
      if (await isData(part, readers)) continue;
      const hash = await hashOf(part);
      if (!(await read()).some((entry) => entry.hash === hash)) return false;
    }
    return true;
  };
  const hashed = async (location: ModelLocation) => {
    const parts = await partsOf(location, readers);
    return Promise.all(parts.map(async (part) => ({ path: part.path, hash: await hashOf(part) })));
  };
  return {
    isTrusted,
    hash: async (location) => hashOfAll((await hashed(location)).map(({ hash }) => hash)),
    trust: async (location, shown) => {
      const found = await hashed(location);
      const hashes = found.map(({ hash }) => hash);
      if (shown !== undefined && shown !== hashOfAll(hashes)) {
        throw new WorkbenchError('not-trusted', `${location.path} changed before you confirmed`, {
          where: location.path,
          remedy: 'Check its files again, and trust it once nothing writes to it.',
        });
      }
      await withFileTurn(file, 'the trusted models', async (written) => {
        const others = (await read()).filter((entry) => !hashes.includes(entry.hash));
        const fresh = found.map(({ hash, path }) => ({ hash, path, at: now().toISOString() }));
        const trusted = [...others, ...fresh];
        await writeFileAtomic(written, `${JSON.stringify({ version: 1, trusted }, null, 2)}\n`, privateFile);
      });
    },
    require: async (location) => {
      if (await isTrusted(location)) return;
      const parts = await partsOf(location, readers);
      const code = (await Promise.all(parts.map((part) => filesOf(part, readers))))
        .flat()
        .map(({ path }) => path)
        .filter((path) => !/\.(md|txt|ya?ml)$/i.test(path));
      const shown = code.slice(0, 12).join(', ') + (code.length > 12 ? `, and ${code.length - 12} more` : '');
      throw new WorkbenchError('not-trusted', `A run would execute code of ${location.path}: ${shown}`, {
        where: location.path,
        remedy: `Review it. Then run "triton-workbench trust ${location.path}", add --trust, or press "Trust" in the window.`,
      });
    },
  };
}
