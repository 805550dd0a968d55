import { useStore } from 'zustand';
import { isSound } from '../../../main/contract/flag-text';
import type { KeyFigure } from '../../../main/contract/measured/key-figures';
import { bestPoint } from '../../../main/contract/measured/points';
import { endVerdict } from '../../../main/contract/measured/verdict';
import type { RunState } from '../../../main/contract/run/run-state';
import { type MetricTitles, metricTitlesOf } from '../../../main/contract/words';
import { hasFailed } from '../../stores/run-work';
import { useWorkbench } from '../../workbench';
import { RunHistory } from '../runs/run-history';
import { AccuracyPanel } from './accuracy-panel';
import { FailurePanel } from './failure-panel';
import { figuresOf } from './figures';
import { Measurements } from './measurements';
import {
  ChangesNotice,
  DamageNotice,
  ImportPanel,
  JobNotice,
  OriginNotice,
  ServerPanel,
  StoppedNotice,
  WaitingNotice,
} from './notices';
import { showsMeasurements } from './shown-step';

function FigurePanel({ figure }: { figure: KeyFigure }) {
  return (
    <div className="panel figure">
      <div className="dim small">{figure.label}</div>
      <div className="figure-value">
        {figure.value} <small>{figure.unit}</small>
      </div>
      <div className="dim small figure-note">{figure.note}</div>
    </div>
  );
}

/** The level under way changes with every window; nothing else of the page follows it here. */
function Figures({ state, titles }: { state: RunState; titles: MetricTitles }) {
  const { run } = useWorkbench();
  const level = useStore(run, (open) => open.level);
  return (
    <div className="figures">
      {figuresOf(state, level, titles).map((figure) => (
        <FigurePanel key={figure.label} figure={figure} />
      ))}
    </div>
  );
}

/** Green is only for an answer from a steady level of a run that ran to its end, past its accuracy gate. */
function isSure(state: RunState): boolean {
  const best = bestPoint(state);
  return state.status === 'done' && !state.unverified && best !== null && isSound(best.point);
}

/** What the run has given, and what stands in its way first. */
export function RunMain({ state, onOpenLog }: { state: RunState; onOpenLog: () => void }) {
  const { presets } = useWorkbench();
  const preset = useStore(presets, (list) =>
    state.onServer === null ? list.value?.find(({ id }) => id === state.spec.model.preset) : undefined,
  );
  const titles = preset === undefined ? {} : metricTitlesOf(preset);
  const sentence = endVerdict(state, titles);
  const measurements = showsMeasurements(state);
  return (
    <div className="run-main" tabIndex={0} role="region" aria-label="Results">
      <div className="stack">
        {state.error !== null && hasFailed(state.status) ? (
          <FailurePanel
            key={`${state.runId} ${state.attempt}`}
            state={state}
            error={state.error}
            onOpenLog={onOpenLog}
          />
        ) : null}
        {state.imported === null ? null : <ImportPanel source={state.imported} />}
        {state.onServer === null ? null : <ServerPanel load={state.onServer} />}
        {state.waitsFor === null ? null : <WaitingNotice waitsFor={state.waitsFor} />}
        <JobNotice state={state} />
        <OriginNotice state={state} />
        <DamageNotice lines={state.damagedLines} />
        <StoppedNotice state={state} />
        {sentence === null || !measurements ? null : (
          <section className={isSure(state) ? 'panel verdict' : 'panel verdict unverified'} role="status">
            {sentence}
          </section>
        )}
        <ChangesNotice changes={state.specChanges} />
        {measurements ? (
          <>
            <Figures state={state} titles={titles} />
            <Measurements state={state} />
          </>
        ) : null}
        {state.accuracy === null ? null : <AccuracyPanel result={state.accuracy.result} preset={preset} />}
        <RunHistory runId={state.runId} />
      </div>
    </div>
  );
}
