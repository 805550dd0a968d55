import type { MonitorMarker } from '../../../main/contract/monitor';
import { formatClock } from '../../format/times';

const mostShown = 100;

/** What happened in the shown window, newest first. */
export function EventList({ markers }: { markers: readonly MonitorMarker[] }) {
  const shown = markers.slice(-mostShown).reverse();
  return (
    <section className="panel" aria-label="What happened">
      <div className="panel-head">
        <h2>What happened</h2>
      </div>
      <div className="panel-body">
        {shown.length === 0 ? <p className="dim">Nothing in the shown time.</p> : null}
        <ul className="monitor-events">
          {shown.map((marker, index) => (
            <li key={index} data-event={marker.kind}>
              <span className="dim number">{formatClock(new Date(marker.atMs).toISOString())}</span>
              <span>{marker.text}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
