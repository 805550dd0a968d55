import type { RunSpec } from '../../../contract/run/run-spec';
import type { SearchedFormat } from '../../../contract/study/search';

/** What a run makes. */
export const modelOf = ({
  format,
  precision,
  configure: { backendAccelerator },
}: Pick<RunSpec, 'format' | 'precision' | 'configure'>): SearchedFormat => ({
  format,
  precision,
  backendAccelerator,
});
