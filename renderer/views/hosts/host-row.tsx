import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconClipboardCheck,
  IconLoader2,
  IconTrash,
} from '@tabler/icons-react';
import { gpusText, hostFacts, hostStateText, usesText } from '../../../main/contract/host/host-text';
import type { HostStatus } from '../../../main/contract/host/hosts';
import { formatBytes, missing } from '../../../main/contract/numbers';
import { IconAction, TextAction } from '../../components/actions';
import { AskFirst } from '../../components/confirm-in-place';
import { Remedy } from '../../components/copy-button';
import { noticeDone } from '../../components/notices';
import { Status, type StatusStyle } from '../../components/status-text';
import type { HostEntry } from '../../stores/hosts';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { CheckList } from '../environment/check-list';

const styleOf = (status: HostStatus): StatusStyle => {
  if (!status.reachable) return { icon: IconCircleX, tone: 'bad' };
  return status.docker.reachable
    ? { icon: IconCircleCheck, tone: 'good' }
    : { icon: IconAlertTriangle, tone: 'warn' };
};

export function HostStateText({ status }: { status: HostStatus | null }) {
  if (status === null) {
    return <Status icon={IconLoader2} tone="info" text="Connecting" data-state="asking" />;
  }
  const text = hostStateText(status);
  return (
    <Status {...styleOf(status)} text={`${text.charAt(0).toUpperCase()}${text.slice(1)}`} data-state={text} />
  );
}

export const hostColumns = 7;

const isAsked = (status: HostStatus | null): boolean => status?.reachable === true && status.runs !== null;

function question(name: string, status: HostStatus | null): string {
  if (!isAsked(status)) return `Remove ${name} from the list? Its current work is not known.`;
  return `Remove ${name} from the list? Nothing is changed on the machine.`;
}

function HostActions({ entry }: { entry: HostEntry }) {
  const { client, hosts } = useWorkbench();
  const [removing, working] = useWork();
  const { host, status, checks, asking } = entry;
  const { name } = host;
  const remove = working(async () => {
    await client.call('hosts.remove', { name, force: status !== null && !isAsked(status) });
    noticeDone('Host removed', `${name} is no longer in the list.`);
    await hosts.getState().load();
  });
  return (
    <AskFirst question={question(name, status)} action="Remove" onConfirm={remove}>
      {(ask) => (
        <span className="row-actions">
          <TextAction
            icon={IconClipboardCheck}
            text={checks === null ? 'Check' : 'Hide checks'}
            label={checks === null ? `Check ${name}` : `Hide checks of ${name}`}
            busy={asking && status !== null}
            onClick={() => {
              const { check, hideChecks } = hosts.getState();
              if (checks === null) void check(name);
              else hideChecks(name);
            }}
          />
          <IconAction icon={IconTrash} label={`Remove ${name}`} busy={removing} onClick={ask} />
        </span>
      )}
    </AskFirst>
  );
}

function FactCells({ status }: { status: HostStatus | null }) {
  if (status?.reachable !== true) {
    return (
      <>
        <td />
        <td />
        <td />
        <td />
      </>
    );
  }
  const { docker, gpus, diskFreeBytes, images } = status;
  const driver = gpus?.driverVersion ?? null;
  return (
    <>
      <td title={gpus?.problem ?? undefined}>
        {gpusText(gpus)}
        {driver === null ? null : <div className="second-line">Driver {driver}</div>}
      </td>
      <td>
        {docker.reachable ? docker.serverVersion : missing}
        {images === null ? null : (
          <div className="second-line">{images === 1 ? '1 image' : `${images} images`}</div>
        )}
      </td>
      <td className="number">{diskFreeBytes === null ? missing : formatBytes(diskFreeBytes)}</td>
      <td title={[...(status.runs ?? []), ...(status.deployments ?? [])].join('\n')}>
        {usesText(status) ?? missing}
      </td>
    </>
  );
}

/** What a narrow table leaves out. */
const hoverOf = (status: HostStatus | null): string | undefined =>
  status?.reachable === true
    ? hostFacts(status)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n')
    : undefined;

function problemOf(status: HostStatus | null): readonly [message: string, remedy: string | null] | null {
  if (status === null) return null;
  if (!status.reachable) return [status.message, status.remedy];
  return status.docker.reachable ? null : [status.docker.message, null];
}

export function HostRow({ entry }: { entry: HostEntry }) {
  const { host, status, checks } = entry;
  const problem = problemOf(status);
  const [message, remedy] = problem ?? ['', null];
  const checked = checks !== null && checks.length > 0;
  return (
    <>
      <tr data-host={host.name} className={problem === null && checks === null ? undefined : 'has-more'}>
        <td>
          <span className="cut run-name" title={hoverOf(status)}>
            {host.name}
          </span>
          <div className="second-line cut" title={host.address}>
            {host.address}
          </div>
        </td>
        <td>
          <HostStateText status={status} />
        </td>
        <FactCells status={status} />
        <td className="actions-cell">
          <HostActions entry={entry} />
        </td>
      </tr>
      {problem === null ? null : (
        <tr className={checked ? 'host-more has-more' : 'host-more'}>
          <td colSpan={hostColumns}>
            <p>{message}</p>
            {remedy === null ? null : <Remedy text={remedy} />}
          </td>
        </tr>
      )}
      {checked ? (
        <tr className="host-more">
          <td colSpan={hostColumns}>
            <CheckList checks={checks} installable={false} />
          </td>
        </tr>
      ) : null}
    </>
  );
}
