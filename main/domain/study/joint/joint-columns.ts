import { type Column, count, named, rate, text } from '../../../contract/measured/column';
import type { JointStrategy } from '../../../contract/study/joint';
import type { JointRow } from './joint-answer';
import type { JointTry } from './joint-tries';

const ms = { unit: 'ms', kind: 'duration' } as const;

/** The models of a search of several. */
export const jointColumns: readonly Column<JointRow>[] = [
  { ...named('model', 'model', 'Model', text), help: 'As the file calls it', read: ({ model }) => model },
  {
    ...named('configuration', 'configuration', 'Configuration', text),
    help: 'Difference from the present one',
    read: ({ configuration }) => configuration,
  },
  {
    ...named('throughput', 'inferences_per_second', 'Inferences/s held', rate),
    help: 'Promised while the others are under their load',
    read: ({ inferencesPerSecond }) => inferencesPerSecond,
  },
  {
    ...named('present', 'present_inferences_per_second', 'At present', rate),
    help: 'Inferences/s that the present configurations hold',
    read: ({ presentInferencesPerSecond }) => presentInferencesPerSecond,
  },
  {
    ...named('latency', 'latency_ms', 'Latency', ms),
    help: 'Of its percentile, the median of the measurements at that load',
    read: ({ latencyUs }) => latencyUs,
  },
  {
    ...named('limit', 'limit_ms', 'Limit', ms),
    help: 'Its target',
    read: ({ limitUs }) => limitUs,
  },
  {
    ...named('limits', 'limits', 'Limits', text),
    help: 'It misses its target first',
    read: ({ isLimiting }) => (isLimiting ? 'yes' : ''),
  },
  {
    ...named('measured', 'measured', 'Measured', count),
    help: 'Configurations of it that were measured',
    read: ({ measured }) => measured,
  },
];

/** The sets of configurations that were measured. */
export function jointTryColumns({ isMix }: Pick<JointStrategy, 'isMix'>): readonly Column<JointTry>[] {
  const amount = (factor: number | null): number | null =>
    factor === null || isMix ? factor : Number(factor.toFixed(2));
  const load = { unit: isMix ? 'inferences/s' : '× rates', kind: isMix ? 'rate' : 'typed' } as const;
  return [
    { ...named('set', 'set', 'No.', count), help: 'Place in the search', read: ({ number }) => number },
    {
      ...named('configurations', 'configurations', 'Configurations', text),
      help: 'Difference from the present ones',
      read: (row) => row.text,
    },
    {
      ...named('result', 'result', 'Result', text),
      help: 'Result',
      read: ({ result }) => result,
    },
    {
      ...named('held', 'held', 'Held', load),
      help: 'Most load of all models within all targets that may be promised',
      read: ({ factor }) => amount(factor),
    },
    {
      ...named('missed', 'not_held', 'Not held', load),
      help: 'Lowest load above it that was not held',
      read: ({ missed }) => amount(missed),
    },
    {
      ...named('limiting', 'limiting', 'Limits', text),
      help: 'The model that misses its target first there',
      read: ({ limiting }) => limiting ?? '',
    },
    {
      ...named('instances', 'instances', 'Instances', count),
      help: 'Model instances of all models',
      read: ({ instances }) => instances,
    },
    {
      ...named('looks', 'looks', 'Measurements', count),
      help: 'Measurements of all models together',
      read: ({ looks }) => looks,
    },
  ];
}
