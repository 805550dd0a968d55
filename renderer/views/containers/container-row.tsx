import type { ContainerInfo, ContainerStats } from '../../../main/contract/docker';
import type { GpuFacts } from '../../../main/contract/machine';
import { formatAge } from '../../format/age';
import { formatWhenFully } from '../../format/numbers';
import { ContainerActions } from './container-actions';
import { ContainerPorts } from './container-ports';
import { ContainerStateText } from './container-state';
import { cpuText, gpuText, memoryLimitText, memoryText, roleText, stepText } from './container-text';

/** One container; its name selects it for the log below. */
export function ContainerRow(props: {
  container: ContainerInfo;
  stats: ContainerStats | undefined;
  gpus: readonly GpuFacts[];
  now: number;
  selected: boolean;
  connected: boolean;
  /** null where the run is not on this machine. */
  onOpenRun: (() => void) | null;
  onSelect: () => void;
}) {
  const { container, stats, selected, onOpenRun } = props;
  const { name, role, runId, step, image, imageId, createdAt } = container;
  return (
    <tr data-container={container.id} className={selected ? 'selected' : undefined} onClick={props.onSelect}>
      <td>
        <button
          type="button"
          className="plain-button run-name cut"
          aria-pressed={selected}
          title={`${name}\n${image}`}
          onClick={(event) => {
            event.stopPropagation();
            props.onSelect();
          }}
        >
          {name}
        </button>
        <div className="second-line">
          {roleText[role]} · {stepText(step)}
        </div>
      </td>
      <td
        onClick={(event) => {
          if (onOpenRun !== null) event.stopPropagation();
        }}
      >
        {onOpenRun === null ? (
          <span className="cut dim" title={runId}>
            {runId}
          </span>
        ) : (
          <button type="button" className="plain-button link cut" title={runId} onClick={onOpenRun}>
            {runId}
          </button>
        )}
      </td>
      <td>
        <ContainerStateText container={container} />
      </td>
      <td>
        <div className="cut" title={`${image}\n${imageId}`}>
          {image}
        </div>
        <div className="second-line mono">{imageId.replace(/^sha256:/, '').slice(0, 12)}</div>
      </td>
      <td
        onClick={(event) => {
          event.stopPropagation();
        }}
      >
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
      <td
        className="actions-cell"
        onClick={(event) => {
          event.stopPropagation();
        }}
      >
        <ContainerActions container={container} connected={props.connected} />
      </td>
    </tr>
  );
}
