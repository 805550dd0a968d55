import { cellText } from '../../../main/contract/measured/column';
import { type ModelColumn, modelColumns, tableTitle } from '../../../main/contract/monitor/model-columns';
import { modelKey, type ModelSample, type MonitorState } from '../../../main/contract/monitor/monitor';
import { formatCount, formatTyped } from '../../../main/contract/numbers';
import { p99LimitMs } from '../../../main/domain/monitor/probe-latency';

interface NowFigure {
  readonly column: ModelColumn;
  readonly label: string;
  readonly unit: string;
  readonly note: string;
  readonly isBad?: boolean;
}

const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

function probeNote(
  { probe, name }: ModelSample,
  { rules, probe: asked }: Pick<MonitorState, 'rules' | 'probe'>,
): Pick<NowFigure, 'note' | 'isBad'> {
  if (probe === null) return { note: asked?.model === name ? 'no probe answered yet' : 'no probes are sent' };
  const limitMs = p99LimitMs(rules, name);
  const limit = limitMs === null ? '' : ` · limit ${formatTyped(limitMs)} ms`;
  const failed = probe.failures === 0 ? '' : `, ${formatCount(probe.failures)} failed`;
  return {
    note: `of ${counted(probe.count, 'probe')} in the last minute${failed}${limit}`,
    isBad: limitMs !== null && probe.p99Us !== null && probe.p99Us > limitMs * 1000,
  };
}

function figuresOf(model: ModelSample, state: Pick<MonitorState, 'rules' | 'probe'>): readonly NowFigure[] {
  const { requestsPerSecond, probeP99Us, errorShare, queueUs, inferencesPerSecond } = modelColumns;
  return [
    {
      column: requestsPerSecond,
      label: 'Request rate',
      unit: requestsPerSecond.unit,
      note: `${cellText(inferencesPerSecond, model)} ${inferencesPerSecond.unit}`,
    },
    { column: probeP99Us, label: tableTitle(probeP99Us), unit: probeP99Us.unit, ...probeNote(model, state) },
    {
      column: errorShare,
      label: errorShare.title,
      unit: '',
      note: 'of the requests in the last second',
      isBad: (model.rates?.errorShare ?? 0) > 0,
    },
    {
      column: queueUs,
      label: queueUs.title,
      unit: queueUs.unit,
      note:
        model.pending === null
          ? 'mean per request'
          : `mean per request · ${formatCount(model.pending)} pending`,
    },
  ];
}

/** The selected model now. */
export function NowStrip(props: { model: ModelSample; state: Pick<MonitorState, 'rules' | 'probe'> }) {
  const { model, state } = props;
  return (
    <section className="monitor-now" aria-label={`${modelKey(model)} now`}>
      {figuresOf(model, state).map(({ column, label, unit, note, isBad = false }) => (
        <div key={column.id}>
          <div className="dim small" title={column.help}>
            {label}
          </div>
          <div className={isBad ? 'now-value tone-bad' : 'now-value'}>
            {cellText(column, model)} <small>{unit}</small>
          </div>
          <div className="dim small figure-note">{note}</div>
        </div>
      ))}
    </section>
  );
}
