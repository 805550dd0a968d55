import {
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
  IconPlayerPause,
  IconPlayerPlay,
} from '@tabler/icons-react';
import type { ContainerInfo, ContainerState, ContainerStats } from '../../../main/contract/docker';
import type { GpuFacts } from '../../../main/contract/machine';
import { CopyButton } from '../../components/copy-button';
import { LinkButton } from '../../components/links';
import { Status, type StatusStyle } from '../../components/status-text';
import { containerTitle } from '../../format/container-title';
import { formatAge, formatWhenFully } from '../../format/times';
import { stopClick } from '../../handlers';
import { ContainerActions } from './container-actions';
import {
  containerStateText,
  cpuText,
  exitCode,
  gpuText,
  type ImageName,
  memoryLimitText,
  memoryText,
  portText,
} from './container-text';

const styles: Readonly<Record<ContainerState, StatusStyle>> = {
  created: { icon: IconCircleDashed, tone: 'dim' },
  running: { icon: IconPlayerPlay, tone: 'good' },
  paused: { icon: IconPlayerPause, tone: 'warn' },
  restarting: { icon: IconLoader2, tone: 'info' },
  removing: { icon: IconLoader2, tone: 'info' },
  exited: { icon: IconCircleMinus, tone: 'dim' },
  dead: { icon: IconCircleX, tone: 'bad' },
};

function ContainerStateText({ container }: { container: ContainerInfo }) {
  const { state, status } = container;
  const code = exitCode(container);
  const style = code !== null && code !== 0 ? styles.dead : styles[state];
  return (
    <div title={status}>
      <Status {...style} text={containerStateText[state]} data-state={state} />
      <div className="second-line">{code === null ? null : `code ${code}`}</div>
    </div>
  );
}

function ContainerPorts({ ports }: { ports: ContainerInfo['ports'] }) {
  if (ports.length === 0) return <span className="dim">–</span>;
  return (
    <ul className="ports">
      {ports.map(({ containerPort, hostAddress }) => (
        <li key={`${containerPort} ${hostAddress ?? ''}`} className="row">
          <span className="dim">{portText(containerPort)}</span>
          {hostAddress === null ? (
            <span className="dim">not published</span>
          ) : (
            <>
              <span>{hostAddress}</span>
              <CopyButton text={hostAddress} label={`Copy ${portText(containerPort)} address`} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function RunOfContainer({
  runId,
  title,
  onOpen,
}: {
  runId: string;
  title: string;
  onOpen: (() => void) | null;
}) {
  return (
    <>
      {onOpen === null ? (
        <span className="cut" title={runId}>
          {title}
        </span>
      ) : (
        <LinkButton className="cut" title={runId} onClick={onOpen}>
          {title}
        </LinkButton>
      )}
      <div className="second-line" title={runId}>
        {runId}
      </div>
    </>
  );
}

interface RowProps {
  container: ContainerInfo;
  stats: ContainerStats | undefined;
  gpus: readonly GpuFacts[];
  now: number;
  title: string;
  image: ImageName;
  selected: boolean;
  connected: boolean;
  onOpenRun: (() => void) | null;
  onSelect: () => void;
}

/** Also what a narrow table leaves out. */
function hoverOf({ container, stats, image, gpus, now }: RowProps): string {
  const ports = container.ports.map(
    ({ containerPort, hostAddress }) => `${portText(containerPort)} ${hostAddress ?? 'not published'}`,
  );
  const asked = container.gpus.length === 0 ? [] : [`GPU: ${gpuText(container.gpus, gpus)}`];
  const load = stats === undefined ? [] : [`CPU ${cpuText(stats)}, memory ${memoryText(stats)}`];
  const age = `Created ${formatAge(container.createdAt, now)} ago`;
  return [container.name, image.full, ...ports, ...load, ...asked, age].join('\n');
}

export function ContainerRow(props: RowProps) {
  const { container, stats, title, image, selected, onOpenRun } = props;
  const { id, name, runId, imageId, createdAt } = container;
  return (
    <tr data-container={container.id} className={selected ? 'selected' : undefined} onClick={props.onSelect}>
      <td>
        <button
          type="button"
          className="plain-button run-name cut"
          aria-pressed={selected}
          title={hoverOf(props)}
          onClick={(event) => {
            event.stopPropagation();
            props.onSelect();
          }}
        >
          {containerTitle(container)}
        </button>
        <div className="second-line mono" title={name}>
          {id.slice(0, 12)}
        </div>
      </td>
      <td onClick={onOpenRun === null ? undefined : stopClick}>
        <RunOfContainer runId={runId} title={title} onOpen={onOpenRun} />
      </td>
      <td>
        <ContainerStateText container={container} />
      </td>
      <td>
        <div className="cut" title={`${image.full}\n${imageId}`}>
          {image.short}
        </div>
      </td>
      <td onClick={stopClick}>
        <ContainerPorts ports={container.ports} />
      </td>
      <td className="number">{cpuText(stats)}</td>
      <td className="number">
        {memoryText(stats)}
        <div className="second-line">{memoryLimitText(stats)}</div>
      </td>
      <td>
        <div className="cut" title={container.gpus.join(', ')}>
          {gpuText(container.gpus, props.gpus)}
        </div>
      </td>
      <td className="number" title={formatWhenFully(createdAt)}>
        {formatAge(createdAt, props.now)}
      </td>
      <td className="actions-cell" onClick={stopClick}>
        <ContainerActions container={container} title={title} connected={props.connected} />
      </td>
    </tr>
  );
}
