import { useState } from 'react';
import { stepTitle } from '../../../main/contract/step-text';
import type { StepId } from '../../../main/contract/run-events';
import type { RunState, StepState } from '../../../main/contract/run-state';
import { StepStatusIcon } from '../../components/status-text';
import { useNow } from '../../components/use-now';
import { formatDuration } from '../../format/numbers';
import type { StepProgress } from '../../stores/open-run';
import { RerunQuestion } from './rerun-question';
import { StepMenu } from './step-menu';

const skippedText: Readonly<Record<NonNullable<StepState['skippedBecause']>, string>> = {
  unchanged: 'nothing changed',
  cached: 'files of an earlier run used again',
  'not-needed': 'not needed',
};

/** A step that a dead workbench left: nobody works on it. */
const isLeft = (state: RunState, step: StepState): boolean =>
  step.status === 'running' && state.status !== 'running';

function durationText(step: StepState, nowMs: number): string {
  if (step.status === 'running' && step.startedAt !== null) {
    return formatDuration(Math.max(0, nowMs - Date.parse(step.startedAt)) * 1000);
  }
  return step.durationUs === null || step.skippedBecause === 'cached' ? '' : formatDuration(step.durationUs);
}

function noteText(step: StepState, progress: StepProgress | null): string {
  if (step.status === 'running') return progress?.text ?? '';
  if (step.skippedBecause !== null) return skippedText[step.skippedBecause];
  if (step.warnings.length > 0) return step.warnings[0] ?? '';
  return '';
}

function StepRow(props: {
  step: StepState;
  left: boolean;
  progress: StepProgress | null;
  nowMs: number;
  shown: boolean;
  onShow: () => void;
}) {
  const { step, left, progress } = props;
  const note = left ? 'Interrupted' : noteText(step, progress);
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
      <StepStatusIcon status={left ? 'cancelled' : step.status} warned={step.warnings.length > 0} />
      <span className="step-title">{stepTitle[step.id]}</span>
      <span className="dim">{left ? '' : durationText(step, props.nowMs)}</span>
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
            step={step}
            left={isLeft(state, step)}
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
