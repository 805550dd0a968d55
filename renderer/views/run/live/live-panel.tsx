import { useStore } from 'zustand';
import type { Preset } from '../../../../main/contract/run/preset';
import { type Scenario, scenarios } from '../../../../main/contract/run/run-events';
import { specOf } from '../../../../main/contract/run/run-source';
import type { RunState, StepState } from '../../../../main/contract/run/run-state';
import type { PastRun } from '../../../../main/contract/run/run-step';
import { stepTitle } from '../../../../main/contract/words';
import { expectedStepS } from '../../../../main/domain/run/past-runs';
import {
  durationText,
  estimateTimeLeft,
  expectedS,
  levelText,
  timeLeftText,
} from '../../../../main/domain/run/time-left';
import { smallestOf } from '../../../../main/domain/statistics';
import { ProgressBar } from '../../../components/loading';
import { Panel } from '../../../components/panel';
import { useNow } from '../../../components/use/use-time';
import { formatClock } from '../../../format/times';
import { capitalized } from '../../../format/words';
import { useAnswer } from '../../../use-answer';
import { useWorkbench } from '../../../workbench';
import { planText } from '../../new-deployment/plan-text';
import { nowFigures } from '../figures';
import { stepTime } from '../step-note';

const none: readonly PastRun[] = [];

/** The step under way, before the first and between two the next one. */
const currentStep = ({ steps }: RunState): StepState | undefined =>
  steps.find(({ status }) => status === 'running') ?? steps.find(({ status }) => status === 'waiting');

const scenarioOf = (step: StepState): Scenario | undefined =>
  scenarios.find((scenario) => scenario === step.id);

/** Large, with its unit: what is happening, not yet a result. */
function NowFigures({ state, scenario }: { state: RunState; scenario: Scenario }) {
  const { run } = useWorkbench();
  const level = useStore(run, (open) => open.level);
  return (
    <div className="now-figures">
      {nowFigures(state, scenario, level).map(({ label, value, unit, note }) => (
        <div key={label}>
          <div className="dim small">{label}</div>
          <div className="now-value">
            {value} <small>{unit}</small>
          </div>
          <div className="dim small figure-note">{note}</div>
        </div>
      ))}
    </div>
  );
}

/** Time left of the whole run, with its share and its end on the clock. */
function WholeRun({
  state,
  past,
  fraction,
}: {
  state: RunState;
  past: readonly PastRun[];
  fraction: number | null;
}) {
  const nowMs = useNow(true);
  const left = estimateTimeLeft(state, nowMs, past, fraction);
  if (left === null) return null;
  const startedMs = state.steps.flatMap(({ startedAt }) =>
    startedAt === null ? [] : [Date.parse(startedAt)],
  );
  const sinceS = startedMs.length === 0 ? 0 : Math.max(0, (nowMs - smallestOf(startedMs)) / 1000);
  const isWhole = left.of === 'run';
  return (
    <div className="now-left" title={left.basis}>
      <div className="time-left">{capitalized(timeLeftText(left))}</div>
      {isWhole ? (
        <ProgressBar label="Run, progress" fraction={sinceS / Math.max(1, sinceS + left.seconds)} />
      ) : null}
      <div className="dim small">
        {isWhole
          ? `The whole run ends at about ${formatClock(new Date(nowMs + left.seconds * 1000).toISOString())}`
          : past.length === 0
            ? 'This machine has no other complete run of this model: the time of the other steps is not known.'
            : 'Excludes steps that no earlier run had.'}
      </div>
    </div>
  );
}

function StepNow({ state, step, past }: { state: RunState; step: StepState; past: readonly PastRun[] }) {
  const { run } = useWorkbench();
  const nowMs = useNow(true);
  const progress = useStore(run, (open) => (open.progress?.step === step.id ? open.progress : null));
  const scenario = scenarioOf(step);
  const usualS = scenario === undefined ? expectedStepS(past, step.id) : null;
  const level = scenario === undefined ? null : levelText(state);
  const parts = [
    level === null ? null : capitalized(level),
    progress === null || progress.text === '' ? null : progress.text,
  ].filter((part) => part !== null);
  const took = stepTime(state, step, nowMs);
  const usual = usualS === null || usualS < 1 ? null : `usually about ${durationText(usualS)}`;
  return (
    <>
      <div className="now-step">
        <h2>
          {stepTitle[step.id]}
          {step.status === 'waiting' ? <span className="dim"> is next</span> : null}
        </h2>
        <div className="now-words">{parts.join(' · ')}</div>
        {step.status === 'running' ? (
          <ProgressBar label={`${stepTitle[step.id]}, progress now`} fraction={progress?.fraction ?? null} />
        ) : null}
        <div className="dim small">
          {[took, usual].filter((part) => part !== null && part !== '').join(' · ')}
        </div>
      </div>
      {scenario === undefined ? null : <NowFigures state={state} scenario={scenario} />}
      <WholeRun state={state} past={past} fraction={progress?.fraction ?? null} />
    </>
  );
}

/** Fills the page before the first figure: what each step of the run does, and how long it took before. */
function StepsToCome({
  state,
  preset,
  past,
}: {
  state: RunState;
  preset: Preset | undefined;
  past: readonly PastRun[];
}) {
  const spec = specOf(state);
  if (spec === null) return null;
  const due = new Map(state.steps.map((step) => [step.id, step]));
  return (
    <Panel title="What this run does">
      <table className="table steps-table">
        <tbody>
          {planText(spec, preset?.metrics ?? []).map(({ step: id, what }) => {
            const seconds = expectedS(state, past, id);
            const step = due.get(id);
            const isDue = step?.status === 'waiting' || step?.status === 'running';
            return (
              <tr key={id}>
                <td>{stepTitle[id]}</td>
                <td className="dim">{what}</td>
                <td className="number dim">
                  {isDue && seconds !== null && seconds >= 1 ? `about ${durationText(seconds)}` : ''}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Panel>
  );
}

function UnderWay(props: { state: RunState; preset: Preset | undefined; measured: boolean }) {
  const { state } = props;
  const { runId, status, waitsFor } = state;
  const past = useAnswer((client) => client.call('runs.past', { runId }), runId).value ?? none;
  const step = currentStep(state);
  if (step === undefined) return null;
  return (
    <>
      {status === 'running' && waitsFor === null ? (
        <section className="now" aria-label="Now">
          <StepNow state={state} step={step} past={past} />
        </section>
      ) : null}
      {props.measured ? null : <StepsToCome state={state} preset={props.preset} past={past} />}
    </>
  );
}

/** What happens now, and when the run is over; nothing once it is. @param measured figures are below */
export const LivePanel = (props: Parameters<typeof UnderWay>[0]) =>
  props.state.status === 'running' || props.state.status === 'created' ? <UnderWay {...props} /> : null;
