import type { ContainerInfo, ContainerStats } from '../../../main/contract/docker';
import type { GpuFacts } from '../../../main/contract/machine';
import { formatAge } from '../../format/age';
import { containerTitle } from '../../format/container-title';
import { formatWhenFully } from '../../format/times';
import { stopClick } from '../../handlers';
import { ContainerActions } from './container-actions';
import { ContainerPorts } from './container-ports';
import { ContainerStateText } from './container-state';
import { cpuText, gpuText, type ImageName, memoryLimitText, memoryText } from './container-text';

/** @param props.onOpen null where the run is not on this machine. */
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
        <button type="button" className="plain-button link cut" title={runId} onClick={onOpen}>
          {title}
        </button>
      )}
      <div className="second-line" title={runId}>
        {runId}
      </div>
    </>
  );
}

/** One container; its name selects it for the log below. */
export function ContainerRow(props: {
  container: ContainerInfo;
  stats: ContainerStats | undefined;
  gpus: readonly GpuFacts[];
  now: number;
  /** Of its run: model, format and precision. */
  title: string;
  image: ImageName;
  selected: boolean;
  connected: boolean;
  /** null where the run is not on this machine. */
  onOpenRun: (() => void) | null;
  onSelect: () => void;
}) {
  const { container, stats, title, image, selected, onOpenRun } = props;
  const { id, name, runId, imageId, createdAt } = container;
  return (
    <tr data-container={container.id} className={selected ? 'selected' : undefined} onClick={props.onSelect}>
      <td>
        <button
          type="button"
          className="plain-button run-name cut"
          aria-pressed={selected}
          title={`${name}\n${image.full}`}
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
