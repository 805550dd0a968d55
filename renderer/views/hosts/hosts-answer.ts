import type { Tone } from '../../components/status-text';
import { counted } from '../../format/words';
import type { HostEntry } from '../../stores/hosts';

/** How many there are, and what keeps some of them from serving. */
export function hostsAnswer(entries: readonly Pick<HostEntry, 'status'>[]): {
  readonly text: string;
  readonly tone: Tone;
} {
  const total = counted(entries.length, 'host');
  const open = entries.filter(({ status }) => status === null).length;
  if (open > 0) return { text: `${total}, connecting to ${open}`, tone: 'info' };
  const reached = entries.flatMap(({ status }) => (status?.reachable === true ? [status] : []));
  const bare = reached.filter(({ docker }) => !docker.reachable).length;
  const isWhole = bare === 0 && reached.length === entries.length;
  const without = bare === 0 ? '' : `, ${bare} without Docker`;
  return { text: `${total}, ${reached.length} reachable${without}`, tone: isWhole ? 'good' : 'warn' };
}
