import { useState } from 'react';
import { useStore } from 'zustand';
import type { MonitorSample, MonitorState } from '../../../main/contract/monitor/monitor';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { useWorkbench } from '../../workbench';
import { MonitorActions, SaveMenu } from './monitor-actions';
import { RecordingsList } from './recordings-list';
import { ServerPicker } from './server-picker';
import { Watched } from './watched';

function NothingWatched({ recording }: { recording: string }) {
  return (
    <>
      <ServerPicker />
      <div className="empty">
        <h2>No server watched</h2>
        <p>
          Enter the address of any Triton. Its models, request rates, latencies and GPUs are read once per
          second and kept for 24 hours. Nothing on the server changes unless you load or unload a model or
          send probes.
        </p>
      </div>
      <RecordingsList asked={recording} />
    </>
  );
}

function ServerWatched(props: {
  state: MonitorState;
  sample: MonitorSample | null;
  changing: boolean;
  onChanged: () => void;
}) {
  const { state, sample } = props;
  return (
    <>
      {props.changing ? <ServerPicker onWatch={props.onChanged} /> : null}
      {sample === null ? (
        <Loading label="Waiting for the first response" />
      ) : (
        <Watched state={state} sample={sample} />
      )}
    </>
  );
}

export function MonitorView() {
  const { monitor } = useWorkbench();
  const { state, error, sample } = useStore(monitor);
  const [changing, setChanging] = useState(false);
  const watches = state !== null && state.source !== null;
  return (
    <Page
      title="Monitor"
      actions={
        watches ? (
          <MonitorActions state={state} changing={changing} onChange={() => setChanging(!changing)} />
        ) : state === null || sample === null ? null : (
          // Samples are kept until something else is watched.
          <SaveMenu />
        )
      }
    >
      <div className="stack">
        {error === null ? null : <ErrorPanel error={error} />}
        {state === null && error === null ? <Loading label="Loading" /> : null}
        {state === null ? null : watches ? (
          <ServerWatched
            state={state}
            sample={sample}
            changing={changing}
            onChanged={() => setChanging(false)}
          />
        ) : (
          <NothingWatched recording={state.recording?.file ?? ''} />
        )}
      </div>
    </Page>
  );
}
