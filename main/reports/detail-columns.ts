import { togetherText } from '../contract/level-text';
import type { LoadPoint } from '../contract/results';
import type { CsvValue } from './csv';

export interface DetailColumn {
  readonly heading: string;
  /** null where the level has none of it. */
  readonly read: (point: LoadPoint) => CsvValue;
}

const checkColumns: readonly DetailColumn[] = [
  { heading: 'Checked Response Count', read: ({ outputChecks }) => outputChecks?.checkedCount ?? null },
  { heading: 'Wrong Response Count', read: ({ outputChecks }) => outputChecks?.wrongCount ?? null },
];

const tlsColumns: readonly DetailColumn[] = [
  {
    heading: 'TLS Certificate',
    read: ({ tls }) => (tls === undefined ? null : tls.verified ? 'verified' : 'not verified'),
  },
];

const modelColumns: readonly DetailColumn[] = [
  { heading: 'Model', read: ({ model }) => model ?? null },
  { heading: 'Measured Together With', read: togetherText },
];

/** What checks of responses, TLS and models measured together add to a file; none where no level has any. */
export function detailColumnsOf(points: readonly (LoadPoint | null)[]): readonly DetailColumn[] {
  const any = (has: (point: LoadPoint) => unknown) =>
    points.some((point) => point !== null && has(point) !== undefined);
  return [
    ...(any(({ outputChecks }) => outputChecks) ? checkColumns : []),
    ...(any(({ tls }) => tls) ? tlsColumns : []),
    ...(any(({ model }) => model) ? modelColumns : []),
  ];
}
