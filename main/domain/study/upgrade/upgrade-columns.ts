import { type Column, count, named, text } from '../../../contract/measured/column';
import { formatScale } from '../../../contract/numbers';
import type { UpgradeOutputRow, UpgradeRow } from './upgrade-answer';

const duration = { unit: 'ms', kind: 'duration' } as const;
const bytes = { unit: '', kind: 'bytes' } as const;

/** The two serving environments. */
export const upgradeColumns: readonly Column<UpgradeRow>[] = [
  { ...named('side', 'side', 'Side', text), help: 'A is the current environment', read: ({ side }) => side },
  {
    ...named('served', 'served_with', 'Served with', text),
    help: 'Serving environment',
    read: (one) => one.title,
  },
  {
    ...named('triton', 'triton_version', 'Triton', text),
    help: 'Version of the server',
    read: ({ tritonVersion }) => tritonVersion,
  },
  {
    ...named('throughput', 'inferences_per_second', 'Inferences/s', { unit: '', kind: 'rate' }),
    help: 'Median of the measurements',
    read: ({ inferencesPerSecond }) => inferencesPerSecond,
  },
  {
    ...named('p99', 'p99_ms', 'p99', duration),
    help: 'Median of the measurements',
    read: ({ p99Us }) => p99Us,
  },
  {
    ...named('load', 'load_ms', 'Load time', duration),
    help: 'From the call until the model is ready, median of the loads',
    read: ({ loadMs }) => (loadMs === null ? null : 1000 * loadMs),
  },
  {
    ...named('first', 'first_answer_ms', 'First answer', duration),
    help: 'First request after a load, median of the loads',
    read: ({ firstUs }) => firstUs,
  },
  {
    ...named('first-largest', 'first_largest_ms', 'First largest batch', duration),
    help: 'First request of the largest batch after a load, median of the loads',
    read: ({ firstLargestUs }) => firstLargestUs,
  },
  {
    ...named('memory', 'host_bytes', 'Memory', bytes),
    help: 'Of Triton’s processes with the model loaded',
    read: ({ hostBytes }) => hostBytes,
  },
  {
    ...named('gpu-memory', 'gpu_bytes', 'GPU memory', bytes),
    help: 'In use with the model loaded',
    read: ({ gpuBytes }) => gpuBytes,
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

const agreement = ({ passed, varies }: UpgradeOutputRow): string => {
  if (varies) return 'changes by itself';
  return passed ? 'agrees' : 'differs';
};

/** B compared with A, output by output. */
export const upgradeOutputColumns: readonly Column<UpgradeOutputRow>[] = [
  {
    ...named('batch', 'batch_size', 'Batch size', count),
    help: 'Of each request',
    read: ({ batchSize }) => batchSize,
  },
  { ...named('output', 'output', 'Output', text), help: 'Name in the model', read: ({ output }) => output },
  {
    ...named('agrees', 'agrees', 'Result', text),
    help: 'B compared with A',
    doubtful: ({ passed }) => !passed,
    read: agreement,
  },
  {
    ...named('difference', 'max_abs_difference', 'Largest difference', text),
    help: 'Absolute, over finite values',
    read: ({ maxAbsDiff }) => (maxAbsDiff === null ? null : formatScale(maxAbsDiff)),
  },
  { ...named('rule', 'rule', 'Rule', text), help: 'What agrees', read: ({ rule }) => rule },
  {
    ...named('requests', 'requests', 'Requests', count),
    help: 'Compared requests',
    read: ({ samples }) => samples,
  },
];
