import { type Column, count, named, rate, text } from '../../../contract/measured/column';
import type { SearchStrategy } from '../../../contract/study/search';
import { objectiveOf } from './objective';
import type { SearchRow } from './search-answer';

/** Of the objective and the limits that were asked for. */
function objectiveColumns(search: SearchStrategy): readonly Column<SearchRow>[] {
  const isCost = objectiveOf(search).kind === 'cost';
  return [
    ...(isCost
      ? [
          {
            ...named('cost', 'cost_per_million', 'Cost per million', rate),
            help: 'Of a million inferences at that load, in the currency of the price',
            read: ({ costPerMillion }: SearchRow) => costPerMillion,
          } as const,
        ]
      : []),
    ...(search.memory?.gpuBytes === undefined
      ? []
      : [
          {
            ...named('gpu-memory', 'gpu_memory_bytes', 'GPU memory', { unit: '', kind: 'bytes' }),
            help: 'Used by its load and first requests',
            read: ({ gpuBytes }: SearchRow) => gpuBytes,
          },
        ]),
    ...(search.memory?.hostBytes === undefined
      ? []
      : [
          {
            ...named('host-memory', 'host_memory_bytes', 'Host memory', { unit: '', kind: 'bytes' }),
            help: 'Used by its load and first requests',
            read: ({ hostBytes }: SearchRow) => hostBytes,
          },
        ]),
  ];
}

/** The candidates of a search. */
export function searchColumns(search: SearchStrategy): readonly Column<SearchRow>[] {
  const { load, target } = search;
  const latency = `p${target.percentile}`;
  const isOpen = load.kind === 'open';
  const held = isOpen ? 'Requests/s held' : 'Concurrency';
  return [
    {
      ...named('candidate', 'candidate', 'No.', count),
      help: 'Place in the search',
      read: ({ candidate }) => candidate,
    },
    {
      ...named('configuration', 'configuration', 'Configuration', text),
      help: 'Difference from the present one',
      read: (row) => row.text,
    },
    {
      ...named('result', 'result', 'Result', text),
      help: 'Result',
      read: ({ state, reason }) => (reason === null ? state : `${state}: ${reason}`),
    },
    {
      ...named('load', isOpen ? 'requests_per_second' : 'concurrency', held, {
        unit: '',
        kind: isOpen ? 'rate' : 'typed',
      }),
      help: 'Highest load within the target',
      read: ({ load: most }) => most,
    },
    {
      ...named('throughput', 'inferences_per_second', 'Inferences/s', { unit: '', kind: 'rate' }),
      help: 'At that load',
      read: ({ inferencesPerSecond }) => inferencesPerSecond,
    },
    {
      ...named('latency', `${latency}_ms`, latency, { unit: 'ms', kind: 'duration' }),
      help: 'Median of the measurements at that load',
      read: ({ latencyUs }) => latencyUs,
    },
    ...objectiveColumns(search),
    {
      ...named('looks', 'looks', 'Measurements', count),
      help: 'Number of measurements',
      read: ({ looks }) => looks,
    },
  ];
}
