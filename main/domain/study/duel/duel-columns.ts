import { type Column, count, named, text } from '../../../contract/measured/column';
import type { DuelRow } from './duel-answer';
import type { JudgedQuestion } from './judge-duel';

/** The two sides of a comparison in turns. */
export const duelColumns: readonly Column<DuelRow>[] = [
  { ...named('side', 'side', 'Side', text), help: 'A is the baseline', read: ({ side }) => side },
  { ...named('model', 'model', 'Model', text), help: 'Run or change', read: ({ title }) => title },
  { ...named('level', 'level', 'Load', text), help: 'Load of each measurement', read: ({ level }) => level },
  {
    ...named('throughput', 'inferences_per_second', 'Inferences/s', { unit: '', kind: 'rate' }),
    help: 'Median of the measurements',
    read: ({ inferencesPerSecond }) => inferencesPerSecond,
  },
  {
    ...named('p99', 'p99_ms', 'p99', { unit: 'ms', kind: 'duration' }),
    help: 'Median of the measurements',
    read: ({ p99Us }) => p99Us,
  },
  {
    ...named('looks', 'looks', 'Measurements', count),
    help: 'Number of measurements',
    read: ({ looks }) => looks,
  },
  {
    ...named('errors', 'errors', 'Failed requests', count),
    help: 'In all measurements',
    read: ({ errors }) => errors,
  },
];

const ratio = { unit: '×', kind: 'rate' } as const;

/** What was asked of them. */
export const questionColumns: readonly Column<JudgedQuestion>[] = [
  {
    ...named('criterion', 'criterion', 'Condition', text),
    help: 'As typed',
    read: ({ criterion, metric }) => criterion ?? `${metric} differs`,
  },
  {
    ...named('outcome', 'outcome', 'Result', text),
    help: 'With 95 % confidence',
    read: ({ outcome }) => outcome,
  },
  { ...named('ratio', 'ratio', 'B/A', ratio), help: 'Mean of the paired ratios', read: (one) => one.ratio },
  { ...named('low', 'ratio_low', 'From', ratio), help: 'Start of the 95 % interval', read: ({ low }) => low },
  { ...named('high', 'ratio_high', 'To', ratio), help: 'End of the 95 % interval', read: ({ high }) => high },
  { ...named('pairs', 'pairs', 'Pairs', count), help: 'Number of pairs', read: ({ pairs }) => pairs },
];
