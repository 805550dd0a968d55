import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconLoader2 } from '@tabler/icons-react';
import { hostStateText } from '../../../main/contract/host/host-text';
import type { HostStatus } from '../../../main/contract/host/hosts';
import { type Look, Status } from '../../components/status-text';

const lookOf = (status: HostStatus): Look => {
  if (!status.reachable) return { icon: IconCircleX, tone: 'bad' };
  return status.docker.reachable
    ? { icon: IconCircleCheck, tone: 'good' }
    : { icon: IconAlertTriangle, tone: 'warn' };
};

/** Whether a host is reached, in a word or two. */
export function HostStateText({ status }: { status: HostStatus | null }) {
  if (status === null) {
    return <Status icon={IconLoader2} tone="info" text="Connecting" data-state="asking" />;
  }
  const text = hostStateText(status);
  return (
    <Status {...lookOf(status)} text={`${text.charAt(0).toUpperCase()}${text.slice(1)}`} data-state={text} />
  );
}
