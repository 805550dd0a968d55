import { useState } from 'react';
import { cellText } from '../../../main/contract/measured/column';
import {
  type ModelColumn,
  modelColumns,
  tableHeading,
  tableTitle,
} from '../../../main/contract/monitor/model-columns';
import { modelKey, type ModelSample, mostModels } from '../../../main/contract/monitor/monitor';
import { formatCount, formatShare, missing } from '../../../main/contract/numbers';
import { moreText } from '../../../main/contract/words';
import { CompactButton } from '../../components/actions';
import { Status } from '../../components/status-text';
import { numeric, TableHead } from '../../components/table';
import { stopClick } from '../../handlers';
import { ModelActions } from './model-actions';
import { modelStyles } from './monitor-text';
import { RowSlots } from './row-slots';

const { requestsPerSecond: requests, probeP50Us, probeP99Us } = modelColumns;

const figures: readonly ModelColumn[] = [
  requests,
  modelColumns.errorShare,
  modelColumns.pending,
  modelColumns.queueUs,
  modelColumns.computeInferUs,
  modelColumns.batch,
];

const probes = [probeP50Us, probeP99Us];
const probesHeading = `${tableTitle(probeP50Us)} / ${probeP99Us.title} (${probeP99Us.unit})`;

function CacheHits({ share }: { share: number | null }) {
  if (share === null) return null;
  const text = `cache ${formatShare(share)}`;
  return (
    <div
      className="second-line"
      title={`${formatShare(share)} of the requests were answered from the response cache`}
    >
      {text}
    </div>
  );
}

function ModelRow(props: {
  model: ModelSample;
  server: string;
  selected: boolean;
  why: string | null;
  onSelect: () => void;
  onConfig: (name: string) => void;
}) {
  const { model, selected } = props;
  const key = modelKey(model);
  return (
    <tr data-model={key} className={selected ? 'selected' : undefined} onClick={props.onSelect}>
      <td>
        <button type="button" className="plain-button run-name cut" aria-pressed={selected} title={key}>
          {model.name}
        </button>
        <div className="second-line">{model.version === '' ? 'no version' : `version ${model.version}`}</div>
      </td>
      <td>
        <Status {...modelStyles[model.state]} data-state={model.state} />
        <div className="second-line" title={model.reason ?? undefined}>
          {model.reason}
        </div>
      </td>
      {figures.map((column) => (
        <td key={column.id} className="number">
          {cellText(column, model)}
          {column === requests ? <CacheHits share={model.rates?.cacheHitShare ?? null} /> : null}
        </td>
      ))}
      <td className="number">
        {model.probe === null ? missing : probes.map((column) => cellText(column, model)).join(' / ')}
      </td>
      <td className="actions-cell" onClick={stopClick}>
        <ModelActions model={model} server={props.server} why={props.why} onConfig={props.onConfig} />
      </td>
    </tr>
  );
}

const rowStep = 100;

function MoreModels(props: { shown: number; models: number; more: number; onMore: () => void }) {
  const { shown, models, more } = props;
  const hidden = moreText(models - shown, 'model');
  const unlisted = moreText(more, 'model');
  if (hidden === null && unlisted === null) return null;
  return (
    <div className="panel-body row-actions">
      {hidden === null ? null : (
        <>
          <span className="dim">{hidden}</span>
          <CompactButton onClick={props.onMore}>
            Show {formatCount(Math.min(rowStep, models - shown))} more
          </CompactButton>
        </>
      )}
      {unlisted === null ? null : (
        <span className="dim">
          {unlisted} not monitored; the limit is {formatCount(mostModels)}
        </span>
      )}
    </div>
  );
}

const headings = [
  'Model',
  'State',
  ...figures.map((column) => numeric(tableHeading(column), column.help)),
  numeric(probesHeading, 'Latency of the probes of the last minute, from the time at which each was due.'),
  { title: 'Actions', hidden: true },
];

export function ModelTable(props: {
  models: readonly ModelSample[];
  more: number;
  server: string;
  selected: string | null;
  /** Why loading is unavailable; null: it is available. */
  why: string | null;
  onSelect: (key: string) => void;
  onConfig: (name: string) => void;
}) {
  const [room, setRoom] = useState(rowStep);
  const [slots] = useState(() => new RowSlots());
  const shown = props.models.slice(0, room);
  const slotOf = slots.of(shown.map(modelKey));
  return (
    <section className="panel" aria-label="Models">
      <table className="table fixed-table row-table monitor-models">
        <TableHead headings={headings} />
        <tbody>
          {shown.map((model, at) => {
            const key = modelKey(model);
            return (
              <ModelRow
                key={slotOf[at]}
                model={model}
                server={props.server}
                selected={key === props.selected}
                why={props.why}
                onSelect={() => props.onSelect(key)}
                onConfig={props.onConfig}
              />
            );
          })}
        </tbody>
      </table>
      <MoreModels
        shown={shown.length}
        models={props.models.length}
        more={props.more}
        onMore={() => setRoom(room + rowStep)}
      />
    </section>
  );
}
