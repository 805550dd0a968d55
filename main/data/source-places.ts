import { join } from 'node:path';
import type { DataSource } from '../contract/data-source';

/** Where the parts of a source stand below a folder of data. */
export interface SourcePlaces {
  /** The source whole: it appears when all is done, never before. */
  readonly whole: string;
  /** What a run takes of it. */
  readonly given: string;
  /** While it is fetched; removed when it is whole. */
  readonly work: string;
  readonly file: string;
  readonly unpacked: string;
}

/** Pure. `root`: folder of the sources of one preset. */
export function sourcePlaces(root: string, source: DataSource): SourcePlaces {
  const whole = join(root, source.id);
  const work = join(root, `${source.id}.download`);
  // What is prepared is laid out anew, so that the path in the archive says nothing of it.
  const inner = source.allowed === 'download' && source.prepare !== true ? source.path : undefined;
  return {
    whole,
    given: inner === undefined ? whole : join(whole, inner),
    work,
    file: join(work, 'file'),
    unpacked: join(work, 'unpacked'),
  };
}
