import type { RunState } from '../../../main/contract/run-state';
import { estimateTimeLeft } from '../../../main/contract/time-left';
import { useNow } from '../../components/use-now';
import { formatDuration } from '../../format/numbers';

/** How long the measuring may still take. An estimate, and it says so. */
export function TimeLeft({ state }: { state: RunState }) {
  const nowMs = useNow(state.status === 'running');
  const left = estimateTimeLeft(state, nowMs);
  if (left === null) return null;
  return (
    <span className="dim time-left" title={left.basis}>
      about {formatDuration(Math.round(left.seconds) * 1e6)} left
    </span>
  );
}
