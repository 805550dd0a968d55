import { z } from 'zod';
import type { WireError } from './errors';
import { later } from './later';
import { argumentsSchema } from './run/run-spec';

const webAddress = z.string().regex(/^https:\/\/[^\s"'`\\]+$/, 'an https address');

const inner = z
  .string()
  .regex(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.+-]+(?:\/[\w.+-]+)*$/, 'a path below the folder');

const digests = { sha256: /^[0-9a-f]{64}$/, md5: /^[0-9a-f]{32}$/ } as const;

const checksum = z
  .strictObject({
    algorithm: z.enum(['sha256', 'md5']).describe('Digest algorithm'),
    value: z.string().describe('The digest in lower-case hexadecimal'),
  })
  .refine(({ algorithm, value }) => digests[algorithm].test(value), 'the digest in lower-case hexadecimal');
export type Checksum = z.infer<typeof checksum>;

const archives = ['zip', 'tar', 'tar.gz', 'tar.bz2'] as const;

const common = {
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,40}$/)
    .describe('Name for data fetch'),
  title: z.string().describe('Display name'),
  page: webAddress.describe('Page that describes it'),
  licence: z.string().nullable().describe('As its publisher states it; null where that is not known'),
  bytes: z.int().positive().nullable().describe('Exact size of the published file; null where none is known'),
  checksum: checksum.nullable().describe('Of the published file; null where none is published'),
  note: z.string().optional().describe('Further requirements before you use it'),
  args: argumentsSchema.optional().describe('Arguments of the model’s code that belong to it'),
};

const download = later(() =>
  z.strictObject({
    allowed: z.literal('download').describe('download: data fetch gets it; by-hand: its steps say how'),
    ...common,
    address: webAddress.describe('Of the file'),
    archive: z
      .enum(archives)
      .optional()
      .describe('How the file is packed; left out where it is used as it comes'),
    unpackedBytes: z.int().positive().optional().describe('Maximum size in bytes when unpacked'),
    path: inner
      .optional()
      .describe(
        'Part of the unpacked archive that a run uses, all of it by default; for a plain file, its name',
      ),
    prepare: z
      .boolean()
      .optional()
      .describe('prepare_dataset.py of the folder converts it to the loader’s layout'),
  }),
);
export type DownloadSource = z.infer<typeof download>;

const byHand = later(() =>
  z.strictObject({
    allowed: z.literal('by-hand'),
    ...common,
    steps: z
      .array(
        z.strictObject({
          text: z.string().describe('What to do'),
          copy: z.string().optional().describe('Address or command of the step'),
        }),
      )
      .min(1)
      .describe('How to get it'),
  }),
);

export const dataSourceSchema = later(() =>
  z
    .discriminatedUnion('allowed', [download, byHand])
    .refine(
      (source) => source.allowed === 'by-hand' || source.archive !== undefined || source.path !== undefined,
      'a plain file needs a path, its name',
    ),
);
export type DataSource = z.infer<typeof dataSourceSchema>;

export type SourceKind = 'dataset' | 'checkpoint';

/** A source of a preset, and how much of it is on this machine. */
export interface DataItem {
  readonly kind: SourceKind;
  readonly source: DataSource;
  /** Path for the run once it is complete; null before. */
  readonly path: string | null;
  /** Bytes of an interrupted download that can be continued. */
  readonly partBytes: number;
}

export interface DataWork {
  readonly id: string;
  readonly preset: string;
  readonly source: string;
  readonly title: string;
  /**
   * `model`: of the Hugging Face hub, whose `preset` is its name there and `source` its commit. `pipeline`: written from
   * the folder `source`.
   */
  readonly kind: SourceKind | 'model' | 'pipeline';
  readonly status: 'running' | 'done' | 'failed' | 'cancelled';
  /** 0 to 1 of the current phase; null where it is not known. */
  readonly fraction: number | null;
  readonly text: string;
  /** Path for the run; null until done. */
  readonly path: string | null;
  readonly error: WireError | null;
}

export const fetchRequestSchema = later(() =>
  z.strictObject({
    preset: z.string().max(128),
    source: z.string().max(64),
  }),
);
