import { createHash } from 'node:crypto';
import { readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';

/** SHA-256 (hex) of the texts in order. */
export function hashParts(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

export const readText = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null);

/** Written last: marks a complete component. */
const stampFile = (folder: string): string => join(folder, '.stamp');
export const readStamp = (folder: string): Promise<string | null> => readText(stampFile(folder));
export const writeStamp = (folder: string, stamp: string): Promise<void> =>
  writeFileAtomic(stampFile(folder), stamp);

/** Resolves links; a test's home links to another one. */
export async function homeOf(folder: string): Promise<string> {
  return dirname(await realpath(folder).catch(() => folder));
}

const factsSchema = z.object({ version: z.string().nullable(), bytes: z.number() });
export type InstalledFacts = z.infer<typeof factsSchema>;
const factsFile = (folder: string): string => join(folder, '.installed.json');

export async function readFacts(folder: string): Promise<InstalledFacts | null> {
  const text = await readText(factsFile(folder));
  return factsSchema.safeParse(jsonOrNull(text ?? '')).data ?? null;
}

export const writeFacts = (folder: string, facts: InstalledFacts): Promise<void> =>
  writeFileAtomic(factsFile(folder), `${JSON.stringify(facts)}\n`);

/** Replaces a folder; after a crash in between it is missing and reinstalled. */
export async function replaceFolder(finished: string, place: string): Promise<void> {
  await rm(place, { recursive: true, force: true });
  await rename(finished, place);
}
