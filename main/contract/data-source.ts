import { z } from 'zod';
import type { WireError } from './errors';

const webAddress = z.string().regex(/^https:\/\/[^\s"'`\\]+$/, 'an https address');

/** A path below a folder, with plain names alone. */
const inner = z
  .string()
  .regex(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.+-]+(?:\/[\w.+-]+)*$/, 'a path below the folder');

const digests = { sha256: /^[0-9a-f]{64}$/, md5: /^[0-9a-f]{32}$/ } as const;

const checksum = z
  .strictObject({ algorithm: z.enum(['sha256', 'md5']), value: z.string() })
  .refine(({ algorithm, value }) => digests[algorithm].test(value), 'the digest in lower-case hexadecimal');
export type Checksum = z.infer<typeof checksum>;

const archives = ['zip', 'tar', 'tar.gz', 'tar.bz2'] as const;

const common = {
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/),
  title: z.string(),
  /** Where people read about it. */
  page: webAddress,
  /** As its publisher states it; null where that could not be checked. */
  licence: z.string().nullable(),
  /** Exact size of the published file; null where none is known. */
  bytes: z.int().positive().nullable(),
  /** Of the published file; null where none is published. */
  checksum: checksum.nullable(),
  /** What else is to be known before it is used. */
  note: z.string().optional(),
  /** Arguments of the model's code that belong to it. */
  args: z.record(z.string(), z.string()).optional(),
};

const download = z.strictObject({
  allowed: z.literal('download'),
  ...common,
  address: webAddress,
  /** How the file is packed; absent where it is used as it comes. */
  archive: z.enum(archives).optional(),
  /** Most that it may hold unpacked: what is over it is no longer that archive. */
  unpackedBytes: z.int().positive().optional(),
  /** What of the unpacked archive is given to the run; all of it when absent. Of a plain file: its name. */
  path: inner.optional(),
  /** The preset's `prepare_dataset.py` brings it into the layout that its loader reads. */
  prepare: z.boolean().optional(),
});
/** A published file that anybody may fetch. */
export type DownloadSource = z.infer<typeof download>;

const byHand = z.strictObject({
  allowed: z.literal('by-hand'),
  ...common,
  /** `copy`: an address or a command of the step. */
  steps: z.array(z.strictObject({ text: z.string(), copy: z.string().optional() })).min(1),
});

/** Where a published data set or checkpoint comes from. */
export const dataSourceSchema = z
  .discriminatedUnion('allowed', [download, byHand])
  .refine(
    (source) => source.allowed === 'by-hand' || source.archive !== undefined || source.path !== undefined,
    'a plain file needs a path, its name',
  );
export type DataSource = z.infer<typeof dataSourceSchema>;

export type SourceKind = 'dataset' | 'checkpoint';

/** A source of a preset and what of it is on this machine. */
export interface DataItem {
  readonly kind: SourceKind;
  readonly source: DataSource;
  /** What a run takes, where it is there whole; null before. */
  readonly path: string | null;
  /** Bytes of a download that was cut off and goes on from there. */
  readonly partBytes: number;
}

/** A download under way, or just ended. */
export interface DataWork {
  readonly id: string;
  readonly preset: string;
  readonly source: string;
  readonly title: string;
  readonly kind: SourceKind;
  readonly status: 'running' | 'done' | 'failed' | 'cancelled';
  /** 0 to 1 of what is being done now; null while nothing is known. */
  readonly fraction: number | null;
  /** "Downloading, 120 of 480 MiB". */
  readonly text: string;
  /** What a run takes; null before it is done. */
  readonly path: string | null;
  readonly error: WireError | null;
}

export const fetchRequestSchema = z.strictObject({
  preset: z.string().max(128),
  source: z.string().max(64),
});
