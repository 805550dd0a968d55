import { type Column, count, named, rate, text } from '../../../contract/measured/column';
import type { JointRow } from './joint-answer';

const ms = { unit: 'ms', kind: 'duration' } as const;

/** The models of a search of several. */
export const jointColumns: readonly Column<JointRow>[] = [
  { ...named('model', 'model', 'Model', text), help: 'As the file calls it', read: ({ model }) => model },
  {
    ...named('configuration', 'configuration', 'Configuration', text),
    help: 'What differs from the present one',
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
