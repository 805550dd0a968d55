import { Modal } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import {
  modelKey,
  type ModelSample,
  type MonitorMarker,
  type MonitorSample,
  type MonitorState,
  watchedName,
} from '../../../main/contract/monitor/monitor';
import { shownRangeMs } from '../../charts/monitor/shown-range';
import { CopyButton } from '../../components/copy-button';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { Panel } from '../../components/panel';
import { Status } from '../../components/status-text';
import { formatClock } from '../../format/times';
import { asSentence } from '../../format/words';
import type { Monitor } from '../../stores/monitor';
import { useAnswer } from '../../use-answer';
import { useWorkbench } from '../../workbench';
import { AlertPanel, FiringAlerts } from './alert-panel';
import { ModelCharts } from './model-charts';
import { ModelTable } from './model-table';
import { compareNames, serverName, serverSentence, serverStyle, speedText } from './monitor-text';
import { NowStrip } from './now-strip';
import { NoProbes, ProbeControl } from './probe-control';
import { RecordingsList } from './recordings-list';

function sourceText({ source }: MonitorState): string {
  if (source === null) return '';
  if (source.kind === 'live') return watchedName(source);
  const lost = source.damaged === 0 ? '' : `, ${source.damaged} damaged lines skipped`;
  return `Recording ${source.file}, ${speedText(source.speed)}${source.done ? ', finished' : ''}${lost}`;
}

function ServerBanner(props: { state: MonitorState; sample: MonitorSample; pausedMs: number | null }) {
  const { state, sample, pausedMs } = props;
  const { server, hole } = sample;
  return (
    <section className="panel row monitor-banner" aria-label="Server" data-server={server.state}>
      <Status {...serverStyle(server)} data-state={server.state} />
      <strong className="cut">{sourceText(state)}</strong>
      <span className="dim cut" title={serverSentence(sample)}>
        {serverSentence(sample)}
      </span>
      <span className="end monitor-banner-end">
        {hole !== null && server.state !== 'gone' ? (
          <span className="tone-warn">no figures: {hole}</span>
        ) : null}
        {state.recording === null ? null : state.recording.problem === null ? (
          <span className="tone-bad">● recording</span>
        ) : (
          <span className="tone-bad">not recorded: {state.recording.problem}</span>
        )}
        {pausedMs === null ? null : (
          <span className="tone-warn">charts paused at {formatClock(new Date(pausedMs).toISOString())}</span>
        )}
        <span className="dim number">{formatClock(new Date(sample.atMs).toISOString())}</span>
      </span>
    </section>
  );
}

const mostShown = 100;

function EventList({ markers }: { markers: readonly MonitorMarker[] }) {
  const shown = markers.slice(-mostShown).reverse();
  return (
    <Panel title="Events">
      <div className="panel-body">
        {shown.length === 0 ? <p className="dim">No events in this time range.</p> : null}
        <ul className="column monitor-events">
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

const rank = { failing: 0, ready: 1, loading: 2, unloading: 2, unavailable: 3 } as const;

function whyNot(live: boolean, gone: boolean): string | null {
  if (!live) return 'Not available in a recording';
  return gone ? 'The server is unreachable' : null;
}

function NoModels({ server, gone, reason }: { server: string; gone: boolean; reason: string }) {
  return (
    <section className="panel column empty" aria-label="Models">
      <h2>{gone ? `No response from ${server}` : 'No models'}</h2>
      <p>
        {gone
          ? `${asSentence(reason)} Retrying every second. To correct the address, choose Change address.`.trim()
          : 'The model repository of this server is empty. Models appear here once they are added.'}
      </p>
    </section>
  );
}

function ConfigDialog({ model, onClose }: { model: string; onClose: () => void }) {
  const { value, error } = useAnswer((client) => client.call('monitor.modelConfig', { model }), model);
  return (
    <Modal opened onClose={onClose} size="lg" title={`config.pbtxt of ${model}, as served`}>
      {error !== null ? (
        <ErrorPanel error={error} />
      ) : value === null ? (
        <Loading label="Loading the configuration" />
      ) : (
        <div className="command">
          <code tabIndex={0}>{value.text}</code>
          <CopyButton text={value.text} label="Copy configuration" />
        </div>
      )}
    </Modal>
  );
}

/** The charts of one model and the GPUs. */
function ModelPart(props: {
  state: MonitorState;
  sample: MonitorSample;
  model: ModelSample;
  fromMs: number;
  toMs: number;
}) {
  const { state, sample, model, fromMs, toMs } = props;
  const { monitor } = useWorkbench();
  const { history, version, minutes } = useStore(monitor);
  const live = state.source?.kind === 'live';
  return (
    <>
      <div className="row monitor-model-head">
        <h2 className="cut">{modelKey(model)}</h2>
        {live ? <ProbeControl model={model} state={state} /> : null}
      </div>
      <ModelCharts
        history={history}
        version={version}
        model={model}
        gpus={sample.gpus}
        moreGpus={sample.more?.gpus ?? 0}
        fromMs={fromMs}
        toMs={toMs}
        chosenMs={minutes * 60_000}
        noProbes={<NoProbes model={model} state={state} live={live} />}
      />
    </>
  );
}

/** What the charts show: as much as there is of the chosen range. */
function rangeOf(
  { history, minutes, pausedMs }: Pick<Monitor, 'history' | 'minutes' | 'pausedMs'>,
  atMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  const toMs = pausedMs ?? atMs;
  const sinceMs = history.span()?.fromMs ?? toMs;
  return { fromMs: toMs - shownRangeMs(toMs - sinceMs, minutes * 60_000), toMs };
}

export function Watched({ state, sample }: { state: MonitorState; sample: MonitorSample }) {
  const { monitor } = useWorkbench();
  const { alerts, history, minutes, pausedMs, selected, select } = useStore(monitor);
  const [configOf, setConfigOf] = useState<string | null>(null);
  const models = sample.models.toSorted(
    (a, b) => rank[a.state] - rank[b.state] || compareNames(a.name, b.name),
  );
  const model = models.find((one) => modelKey(one) === selected) ?? models[0];
  const shown = model === undefined ? null : modelKey(model);
  // The order changes with the states; the selection does not.
  useEffect(() => {
    if (selected === null && shown !== null) select(shown);
  }, [selected, shown, select]);
  const { fromMs, toMs } = rangeOf({ history, minutes, pausedMs }, sample.atMs);
  const live = state.source?.kind === 'live';
  const gone = sample.server.state === 'gone';
  return (
    <div className="stack">
      <ServerBanner state={state} sample={sample} pausedMs={pausedMs} />
      <FiringAlerts alerts={alerts} nowMs={sample.atMs} />
      {model === undefined ? null : <NowStrip model={model} state={state} />}
      {models.length === 0 ? (
        <NoModels server={serverName(state.source)} gone={gone} reason={sample.server.reason ?? ''} />
      ) : (
        <ModelTable
          models={models}
          more={sample.more?.models ?? 0}
          server={serverName(state.source)}
          selected={shown}
          why={whyNot(live, gone)}
          onSelect={select}
          onConfig={setConfigOf}
        />
      )}
      {model === undefined ? null : (
        <ModelPart state={state} sample={sample} model={model} fromMs={fromMs} toMs={toMs} />
      )}
      <div className="cards monitor-cards">
        <AlertPanel
          alerts={alerts}
          rules={state.rules}
          models={models.map(({ name }) => name)}
          nowMs={sample.atMs}
        />
        <EventList markers={history.markers(fromMs, toMs)} />
      </div>
      {live ? <RecordingsList asked={state.recording?.file ?? ''} server={serverName(state.source)} /> : null}
      {configOf === null ? null : <ConfigDialog model={configOf} onClose={() => setConfigOf(null)} />}
    </div>
  );
}
