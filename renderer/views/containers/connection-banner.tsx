import { IconCircleCheck, IconLoader2 } from '@tabler/icons-react';
import type { DockerState } from '../../../main/contract/docker';
import { errorText } from '../../../main/contract/error-text';
import { ErrorPanel } from '../../components/error-panel';
import { Remedy } from '../../components/remedy';
import { Status } from '../../components/status-text';
import { formatClock } from '../../format/times';

/** The connection to the Docker Engine, and what to do without one. */
export function ConnectionBanner({ state }: { state: DockerState }) {
  const { connection, host, error, listedAt } = state;
  const listed = listedAt === null ? '' : ` · last updated ${formatClock(listedAt)}`;
  if (error !== null) {
    const { remedy, ...rest } = error;
    return (
      <div data-connection={connection}>
        <ErrorPanel error={rest} withRemedy={false}>
          <Remedy text={remedy ?? errorText[error.code].remedy} />
          <p className="dim" role="status">
            {connection === 'connecting' ? 'Reconnecting' : 'Retrying automatically'} · {host}
            {listed}
          </p>
        </ErrorPanel>
      </div>
    );
  }
  return (
    <p className="connection dim" data-connection={connection} role="status">
      {connection === 'connected' ? (
        <Status icon={IconCircleCheck} tone="good">
          Connected
        </Status>
      ) : (
        <Status icon={IconLoader2} tone="info">
          Connecting
        </Status>
      )}
      <span className="mono">{host}</span>
      {connection === 'connected' ? (
        <span title={listedAt === null ? undefined : `Last change ${formatClock(listedAt)}`}>
          · updated live
        </span>
      ) : (
        <span>{listed}</span>
      )}
    </p>
  );
}
