import { useState } from 'react';
import type { StepId } from '../../../main/contract/run-events';
import type { RunState, StepState } from '../../../main/contract/run-state';
import { stepTitle } from '../../../main/contract/step-text';
import { StepStatusIcon } from '../../components/status-text';
import { useNow } from '../../components/use-now';
import type { StepProgress } from '../../stores/open-run';
import { RerunQuestion } from './rerun-question';
import { StepMenu } from './step-menu';
import { isLeft, stepHelp, stepLook, stepNote, stepTime } from './step-note';

function StepRow(props: {
  state: RunState;
  step: StepState;
  progress: StepProgress | null;
  nowMs: number;
  shown: boolean;
  onShow: () => void;
}) {
  const { state, step, progress } = props;
  const left = isLeft(state, step);
  const note = stepNote(state, step, progress?.text ?? null);
  const fraction = progress?.fraction ?? null;
  return (
    <button
      type="button"
      className="plain-button step"
      aria-pressed={props.shown}
      data-step={step.id}
      data-status={step.status}
      onClick={props.onShow}
    >
      <StepStatusIcon status={stepLook(state, step)} warned={step.warnings.length > 0} />
      <span className="step-title">{stepTitle[step.id]}</span>
      <span className="dim step-time" title={stepHelp(step)}>
        {stepTime(state, step, props.nowMs)}
      </span>
      {step.status === 'running' && !left ? (
        <progress
          aria-label={`${stepTitle[step.id]}, progress`}
          {...(fraction === null ? {} : { value: fraction })}
          max={1}
        />
      ) : null}
      {note === '' ? null : (
        <span className="step-note" title={note}>
          {note}
        </span>
      )}
    </button>
  );
}

/** The steps with their state, duration and progress; the chosen one is shown in the dock. */
export function StepList(props: {
  state: RunState;
  progress: StepProgress | null;
  shown: StepId | null;
  onShow: (step: StepId) => void;
}) {
  const { state } = props;
  const nowMs = useNow(state.status === 'running');
  const [asked, setAsked] = useState<StepId | null>(null);
  return (
    <ol>
      {state.steps.map((step) => (
        <li key={step.id} className="step-item">
          <StepRow
            state={state}
            step={step}
            progress={props.progress?.step === step.id ? props.progress : null}
            nowMs={nowMs}
            shown={props.shown === step.id}
            onShow={() => {
              props.onShow(step.id);
            }}
          />
          <StepMenu
            state={state}
            step={step}
            onRerun={() => {
              setAsked(step.id);
            }}
          />
          {asked === step.id && state.status !== 'running' ? (
            <RerunQuestion
              state={state}
              step={step.id}
              onDone={() => {
                setAsked(null);
              }}
            />
          ) : null}
        </li>
      ))}
    </ol>
  );
}
