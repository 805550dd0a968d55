import { Badge, Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { RunState } from '../../../main/contract/run-state';
import type { StepId } from '../../../main/contract/run-events';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { RunStatusText } from '../../components/status-text';
import { useWorkbench } from '../../workbench';
import { AccuracyPanel } from './accuracy-panel';
import { Dock } from './dock';
import type { Figure } from './figures';
import { figuresOf } from './figures';
import { ImportPanel } from './import-panel';
import { Measurements } from './measurements';
import { RunActions } from './run-actions';
import { shownStep } from './shown-step';
import { StepList } from './step-list';
import { TimeLeft } from './time-left';
import { verdict } from './verdict';
import { WaitingNotice } from './waiting-notice';

function FigurePanel({ figure }: { figure: Figure }) {
  return (
    <div className="panel figure">
      <div className="figure-label">{figure.label}</div>
      <div className="figure-value">
        {figure.value} <small>{figure.unit}</small>
      </div>
      <div className="figure-note">{figure.note}</div>
    </div>
  );
}

/** The level under way changes with every window; nothing else of the page follows it here. */
function Figures({ state }: { state: RunState }) {
  const { run } = useWorkbench();
  const level = useStore(run, (open) => open.level);
  return (
    <div className="figures">
      {figuresOf(state, level).map((figure) => (
        <FigurePanel key={figure.label} figure={figure} />
      ))}
    </div>
  );
}

function RunMain({ state }: { state: RunState }) {
  const { presets } = useWorkbench();
  const preset = useStore(presets, (list) =>
    list.value?.find((known) => known.id === state.spec.model.preset),
  );
  const sentence = verdict(
    state,
    (name) => preset?.metrics.find((metric) => metric.name === name)?.title ?? name,
  );
  return (
    <div className="run-main" tabIndex={0} role="region" aria-label="Results">
      <div className="stack">
        {state.error === null || state.status === 'running' ? null : <ErrorPanel error={state.error} />}
        {state.imported === null ? null : <ImportPanel source={state.imported} />}
        {state.waitsFor === null ? null : <WaitingNotice waitsFor={state.waitsFor} />}
        {state.status === 'paused' ? (
          <section className="panel verdict unverified" role="status">
            Paused. What was measured is kept; Resume goes on with the next level and repeats nothing.
          </section>
        ) : null}
        {state.status === 'interrupted' ? (
          <section className="panel verdict unverified" role="status">
            The workbench ended while it worked on this run. What was measured is kept; Resume goes on from
            there.
          </section>
        ) : null}
        {sentence === null ? null : (
          <section className={state.unverified ? 'panel verdict unverified' : 'panel verdict'} role="status">
            {sentence}
          </section>
        )}
        <Figures state={state} />
        <Measurements state={state} />
        {state.accuracy === null ? null : <AccuracyPanel result={state.accuracy.result} preset={preset} />}
      </div>
    </div>
  );
}

function RunBody({ state }: { state: RunState }) {
  const { run } = useWorkbench();
  const progress = useStore(run, (open) => open.progress);
  const [picked, setPicked] = useState<StepId | null>(null);
  const [dockOpen, setDockOpen] = useState<boolean | null>(null);
  const step = shownStep(state, picked);
  // A finished run is read for its results, one under way or failed for its log too.
  const open = dockOpen ?? state.status !== 'done';
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
      <RunMain state={state} />
      {step === undefined ? null : (
        <Dock
          runId={state.runId}
          step={step}
          open={open}
          onToggle={() => {
            setDockOpen(!open);
          }}
        />
      )}
    </div>
  );
}

/** One run, live or finished. */
export function RunView({ runId }: { runId: string }) {
  const { run, route, presets } = useWorkbench();
  const open = useStore(run, (current) => current.open);
  // Not the whole store: windows come often and concern the charts alone.
  const state = useStore(run, (current) => current.state);
  const error = useStore(run, (current) => current.error);
  const known = useStore(presets, (list) => list.value);
  useEffect(() => {
    void open(runId);
  }, [open, runId]);
  const shown = state?.runId === runId ? state : null;
  const title =
    known?.find((preset) => preset.id === shown?.spec.model.preset)?.title ?? shown?.spec.model.preset;
  return (
    <Page
      title={
        shown === null
          ? runId
          : shown.imported !== null
            ? `${title ?? ''} · imported`
            : `${title ?? ''} · ${shown.spec.format} ${shown.spec.precision} · ${shown.spec.model.profile} · ${shown.spec.engine.kind}`
      }
      bare
      before={
        <span className="dim">
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            onClick={() => {
              route.getState().go({ page: 'runs' });
            }}
          >
            Runs
          </Button>
          /
        </span>
      }
      after={
        shown === null ? null : (
          <>
            <RunStatusText status={shown.status} />
            <TimeLeft state={shown} />
            {shown.unverified ? (
              <Badge size="sm" color="orange" variant="outline">
                unverified
              </Badge>
            ) : null}
          </>
        )
      }
      actions={shown === null ? null : <RunActions state={shown} />}
    >
      {shown !== null ? (
        <RunBody state={shown} />
      ) : error !== null ? (
        <div className="panel-body">
          <ErrorPanel error={error} />
        </div>
      ) : (
        <div className="panel-body">
          <Loading label="Reading the run" />
        </div>
      )}
    </Page>
  );
}
