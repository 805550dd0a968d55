import type { MonitorMarker } from '../../../main/contract/monitor/monitor';
import { Panel } from '../../components/panel';
import { formatClock } from '../../format/times';

const mostShown = 100;

/** Events in the shown window, newest first. */
export function EventList({ markers }: { markers: readonly MonitorMarker[] }) {
  const shown = markers.slice(-mostShown).reverse();
  return (
    <Panel title="Events">
      <div className="panel-body">
        {shown.length === 0 ? <p className="dim">No events in this time range.</p> : null}
        <ul className="monitor-events">
          {shown.map((marker, index) => (
            <li key={index} data-event={marker.kind}>
              <span className="dim number">{formatClock(new Date(marker.atMs).toISOString())}</span>
              <span>{marker.text}</span>
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}
