import type { RunState } from '../../../main/contract/run-state';
import { estimateTimeLeft, timeLeftText } from '../../../main/contract/time-left';
import { useNow } from '../../components/use-now';

/** How long the run, or its measuring, may still take. An estimate, and it says so. */
export function TimeLeft({ state }: { state: RunState }) {
  const nowMs = useNow(state.status === 'running');
  const left = estimateTimeLeft(state, nowMs);
  if (left === null) return null;
  return (
    <span className="dim time-left" title={left.basis}>
      {timeLeftText(left)}
    </span>
  );
}
