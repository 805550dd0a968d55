import { z } from 'zod';

const isInside = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') && !path.includes('\0');

export const fileEntrySchema = z.object({
  /** Relative to the folder that is listed; nothing outside of it. */
  path: z.string().max(4096).refine(isInside, 'a path inside the folder'),
  bytes: z.int().min(0),
  /** Lower-case hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** One file of a folder: its path, size and content. */
export type FileEntry = Readonly<z.infer<typeof fileEntrySchema>>;
