import { useState } from 'react';
import { modelKey, type ModelSample, mostModels } from '../../../main/contract/monitor/monitor';
import {
  formatCount,
  formatMeasured,
  formatMs,
  formatRate,
  formatShare,
  missing,
} from '../../../main/contract/numbers';
import { moreText } from '../../../main/contract/words';
import { CompactButton } from '../../components/actions';
import { Status } from '../../components/status-text';
import { numeric, TableHead } from '../../components/table';
import { stopClick } from '../../handlers';
import { ModelActions } from './model-actions';
import { modelLooks } from './monitor-text';
import { RowPlaces } from './row-places';

/** Only of a model that the response cache answers for. */
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
  const { rates, pending, probe } = model;
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
        <Status {...modelLooks[model.state]} data-state={model.state} />
        <div className="second-line" title={model.reason ?? undefined}>
          {model.reason}
        </div>
      </td>
      <td className="number">
        {formatRate(rates?.requestsPerSecond)}
        <CacheHits share={rates?.cacheHitShare ?? null} />
      </td>
      <td className="number">{formatShare(rates?.errorShare)}</td>
      <td className="number">{formatCount(pending)}</td>
      <td className="number">{formatMs(rates?.queueUs)}</td>
      <td className="number">{formatMs(rates?.computeInferUs)}</td>
      <td className="number">{formatMeasured(rates?.batch)}</td>
      <td className="number">
        {probe === null ? missing : `${formatMs(probe.p50Us)} / ${formatMs(probe.p99Us)}`}
      </td>
      <td className="actions-cell" onClick={stopClick}>
        <ModelActions model={model} server={props.server} why={props.why} onConfig={props.onConfig} />
      </td>
    </tr>
  );
}

/** Rows shown at first, and added by each click on the button: a row is drawn again every second. */
const rowStep = 100;

/** What the table leaves out: rows that the button adds, and models that are not monitored. */
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
  numeric('Requests/s'),
  numeric('Errors'),
  numeric('Pending', 'Requests waiting for execution, from the metrics'),
  numeric('Queue, ms'),
  numeric('Infer, ms'),
  numeric('Batch'),
  numeric('Probe p50 / p99, ms'),
  { title: 'Actions', hidden: true },
];

/** Every model of the repository, loaded or not; a click shows its charts. */
export function ModelTable(props: {
  models: readonly ModelSample[];
  /** Models that the server lists beyond the limit of the monitor. */
  more: number;
  /** Host and port, for questions that name it. */
  server: string;
  selected: string | null;
  /** Why nothing can be loaded now. */
  why: string | null;
  onSelect: (key: string) => void;
  onConfig: (name: string) => void;
}) {
  const [room, setRoom] = useState(rowStep);
  const [places] = useState(() => new RowPlaces());
  const shown = props.models.slice(0, room);
  const placeOf = places.of(shown.map(modelKey));
  return (
    <section className="panel" aria-label="Models">
      <table className="table fixed-table row-table monitor-models">
        <TableHead headings={headings} />
        <tbody>
          {shown.map((model, at) => {
            const key = modelKey(model);
            return (
              <ModelRow
                key={placeOf[at]}
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
