import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { queueOf } from '../../../main/contract/job/run-job';
import type { StepId } from '../../../main/contract/run/run-events';
import { bySource, modelOf } from '../../../main/contract/run/run-source';
import type { RunState } from '../../../main/contract/run/run-state';
import { measuredServer, servedModels } from '../../../main/contract/run/server-load';
import { servedByOf, servedByText } from '../../../main/domain/run/served-by';
import { CompactButton } from '../../components/actions';
import { ErrorPanel } from '../../components/error-panel';
import { PageLink, useWayTo } from '../../components/links';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { RunStatusText } from '../../components/status-text';
import { useWorkbench } from '../../workbench';
import { Dock } from './dock';
import { RunActions } from './run-actions';
import { RunMain } from './run-main';
import { opensItself, shownStep } from './shown-step';
import { StepList } from './step-list';

const stoppingText = { pause: 'Pausing', cancel: 'Cancelling' } as const;

function RunBody({ state }: { state: RunState }) {
  const { run } = useWorkbench();
  const progress = useStore(run, (open) => open.progress);
  const [picked, setPicked] = useState<StepId | null>(null);
  const [dockOpen, setDockOpen] = useState<boolean | null>(null);
  const step = shownStep(state, picked);
  const open = dockOpen ?? opensItself(state, step);
  const openLog = (): void => {
    const failed = state.steps.find(({ status }) => status === 'failed');
    if (failed !== undefined) setPicked(failed.id);
    setDockOpen(true);
  };
  return (
    <div className="run">
      <div className="run-steps" role="region" aria-label="Steps" tabIndex={0}>
        <StepList
          state={state}
          progress={progress}
          shown={step?.id ?? null}
          onShow={(id) => {
            setPicked(id);
            setDockOpen(true);
          }}
        />
      </div>
      <RunMain state={state} onOpenLog={openLog} />
      {step === undefined ? null : (
        <Dock runId={state.runId} step={step} open={open} onToggle={() => setDockOpen(!open)} />
      )}
    </div>
  );
}

function runTitle(runId: string, state: RunState | null, title: string | undefined): string {
  if (state === null) return runId;
  const own = state.name === null ? [] : [state.name];
  const what = bySource(state.source, {
    server: (load) => [servedModels(load), `at ${measuredServer(load)}`],
    imported: (_file, model) => [title ?? model, 'imported'],
    deployed: ({ format, precision, model: { preset, profile }, engine }) => [
      title ?? preset,
      ...[`${format} ${precision}`, profile, engine.kind],
    ],
  });
  return [...own, ...what].join(' · ');
}

function runningText({ waitsFor }: RunState, stopping: keyof typeof stoppingText | undefined) {
  if (stopping !== undefined) return stoppingText[stopping];
  return queueOf(waitsFor) === null ? undefined : 'Queued';
}

/** Figures of a local run are not those of the backend in NVIDIA's images. */
function ServedByMark({ state }: { state: RunState }) {
  const served = servedByOf(state);
  return served === null ? null : (
    <span className="dim served-mark" title={`Served by ${servedByText(state) ?? ''}`}>
      {served.short}
    </span>
  );
}

function RunStanding({ state }: { state: RunState }) {
  const { run } = useWorkbench();
  const stopping = useStore(run, (current) => current.stopping[state.runId]);
  return (
    <>
      <RunStatusText
        status={state.status}
        text={state.status === 'running' ? runningText(state, stopping) : undefined}
      />
      <ServedByMark state={state} />
      {state.matrix === null ? null : (
        <PageLink className="cut" to={{ page: 'studies', name: state.matrix.name }} title={state.matrix.name}>
          Study {state.matrix.name}
        </PageLink>
      )}
      {state.unverified && state.status !== 'gate-failed' ? (
        <span className="unverified-mark">accuracy failed</span>
      ) : null}
    </>
  );
}

const isUnderWay = ({ status }: RunState): boolean => status === 'running' || status === 'created';

export function RunView({ runId }: { runId: string }) {
  const wayTo = useWayTo();
  const { run, presets } = useWorkbench();
  const open = useStore(run, (current) => current.open);
  // Not the whole store: windows arrive often and concern only the charts.
  const state = useStore(run, (current) => current.state);
  const error = useStore(run, (current) => current.error);
  const known = useStore(presets, (list) => list.value);
  useEffect(() => void open(runId), [open, runId]);
  const shown = state?.runId === runId ? state : null;
  return (
    <Page
      title={runTitle(runId, shown, known?.find(({ id }) => shown !== null && id === modelOf(shown))?.title)}
      bare
      {...(shown !== null && isUnderWay(shown) ? { type: 'live' } : {})}
      before={
        <span className="dim">
          <CompactButton variant="subtle" color="gray" onClick={wayTo({ page: 'runs' })}>
            Runs
          </CompactButton>
          /
        </span>
      }
      after={shown === null ? null : <RunStanding state={shown} />}
      actions={shown === null ? null : <RunActions state={shown} />}
    >
      {shown !== null ? (
        <RunBody state={shown} />
      ) : (
        <div className="panel-body">
          {error === null ? <Loading label="Reading the run" /> : <ErrorPanel error={error} />}
        </div>
      )}
    </Page>
  );
}
