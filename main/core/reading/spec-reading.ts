import type { HomeLayout } from '../../platform/layout';
import type { Presets } from '../../presets/presets';
import { createSpecReading, type SpecReading } from '../../specification/spec-tools';
import { createReaders } from '../readers';

export type { SpecReading } from '../../specification/spec-tools';

interface Places {
  readonly presets: Presets;
  readonly layout: HomeLayout;
  readonly resources: string;
  /** Bundled entry of the reader process, which starts where a choice names a file. */
  readonly readerFile: string;
}

/** For a choice whose files may be read. */
export const specReading = ({ presets, layout, resources, readerFile }: Places): SpecReading =>
  createSpecReading({ presets, places: { layout, resources, readers: createReaders(readerFile).readers } });
