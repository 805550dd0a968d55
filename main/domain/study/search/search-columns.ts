import { type Column, count, named, text } from '../../../contract/measured/column';
import type { SearchStrategy } from '../../../contract/study/search';
import type { SearchRow } from './search-answer';

/** The candidates of a search. */
export function searchColumns({ load, target }: SearchStrategy): readonly Column<SearchRow>[] {
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
      help: 'What differs from the present one',
      read: (row) => row.text,
    },
    {
      ...named('result', 'result', 'Result', text),
      help: 'What it came to',
      read: ({ state, reason }) => (reason === null ? state : `${state}: ${reason}`),
    },
    {
      ...named('load', isOpen ? 'requests_per_second' : 'concurrency', held, {
        unit: '',
        kind: isOpen ? 'rate' : 'typed',
      }),
      help: 'Most load within the target',
      read: ({ load: most }) => most,
    },
    {
      ...named('throughput', 'inferences_per_second', 'Inferences/s', { unit: '', kind: 'rate' }),
      help: 'At that load',
      read: ({ inferencesPerSecond }) => inferencesPerSecond,
    },
    {
      ...named('latency', `${latency}_ms`, latency, { unit: 'ms', kind: 'duration' }),
      help: 'Median of the looks at that load',
      read: ({ latencyUs }) => latencyUs,
    },
    { ...named('looks', 'looks', 'Looks', count), help: 'Measurements', read: ({ looks }) => looks },
  ];
}
