import { useState } from 'react';
import { useStore } from 'zustand';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { useWorkbench } from '../../workbench';
import { MonitorActions, SaveMenu } from './monitor-actions';
import { RecordingsList } from './recordings-list';
import { ServerPicker } from './server-picker';
import { Watched } from './watched';

/** Any Triton, live: models, rates, latencies, alerts; or a recording of one. */
export function MonitorView() {
  const { monitor } = useWorkbench();
  const { state, error, sample } = useStore(monitor);
  const source = state?.source ?? null;
  const [changing, setChanging] = useState(false);
  const changeServer = (): void => {
    setChanging(!changing);
  };
  return (
    <Page
      title="Monitor"
      actions={
        state === null ? null : source !== null ? (
          <MonitorActions state={state} changing={changing} onChange={changeServer} />
        ) : sample === null ? null : (
          // What was seen is kept until something else is watched.
          <SaveMenu />
        )
      }
    >
      <div className="stack">
        {error === null ? null : <ErrorPanel error={error} />}
        {state === null && error === null ? <Loading label="Loading" /> : null}
        {state !== null && source === null ? (
          <>
            <ServerPicker />
            <div className="empty">
              <h2>No server watched</h2>
              <p>
                Enter the address of any Triton. Its models, request rates, latencies and GPUs are read once
                per second and kept for 24 hours. Nothing on the server changes unless you load or unload a
                model or send probes.
              </p>
            </div>
            <RecordingsList asked={state.recording?.file ?? ''} />
          </>
        ) : null}
        {source !== null && changing ? (
          <ServerPicker
            onWatch={() => {
              setChanging(false);
            }}
          />
        ) : null}
        {state !== null && source !== null ? (
          sample === null ? (
            <Loading label="Waiting for the first response" />
          ) : (
            <Watched state={state} sample={sample} />
          )
        ) : null}
      </div>
    </Page>
  );
}
