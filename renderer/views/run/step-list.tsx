import { IconDots, IconPlayerPlay, IconRepeat } from '@tabler/icons-react';
import { useState } from 'react';
import type { StepId } from '../../../main/contract/run/run-events';
import { isDeployed } from '../../../main/contract/run/run-source';
import type { RunState, StepState } from '../../../main/contract/run/run-state';
import { stepTitle } from '../../../main/contract/words';
import { ActionMenu, BareIcon, MenuAction } from '../../components/actions';
import { ProgressBar } from '../../components/loading';
import { attempting } from '../../components/notices';
import { StepStatusIcon } from '../../components/status-text';
import { useNow } from '../../components/use/use-time';
import type { StepProgress } from '../../stores/open-run';
import { doRunWork } from '../../stores/run-work';
import { useWorkbench } from '../../workbench';
import { RerunQuestion } from './rerun-question';
import { isLeft, shownStatus, stepHelp, stepNote, stepTime } from './step-note';

function StepMenu(props: { state: RunState; step: StepState; onRerun: () => void }) {
  const { state, step } = props;
  const { client, run } = useWorkbench();
  const { runId } = state;
  if (state.status === 'running' || step.status === 'waiting') return null;
  const retry = step.status === 'failed' || step.status === 'cancelled';
  const rerun = isDeployed(state);
  if (!retry && !rerun) return null;
  return (
    <ActionMenu
      button={<BareIcon className="step-menu" icon={IconDots} label={`Actions of ${stepTitle[step.id]}`} />}
    >
      {retry ? (
        <MenuAction
          icon={IconPlayerPlay}
          onClick={attempting(async () => {
            await doRunWork(client, runId, 'resume');
            await run.getState().open(runId);
          })}
        >
          Retry step
        </MenuAction>
      ) : null}
      {rerun ? (
        <MenuAction icon={IconRepeat} onClick={props.onRerun}>
          Rerun from here
        </MenuAction>
      ) : null}
    </ActionMenu>
  );
}

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
  return (
    <button
      type="button"
      className="plain-button step"
      aria-pressed={props.shown}
      data-step={step.id}
      data-status={step.status}
      onClick={props.onShow}
    >
      <StepStatusIcon status={shownStatus(state, step)} warned={step.warnings.length > 0} />
      <span className="step-title">{stepTitle[step.id]}</span>
      <span className="dim step-time" title={stepHelp(step)}>
        {stepTime(state, step, props.nowMs)}
      </span>
      {step.status === 'running' && !left ? (
        <ProgressBar label={`${stepTitle[step.id]}, progress`} fraction={progress?.fraction ?? null} />
      ) : null}
      {note === '' ? null : (
        <span className="step-note" title={note}>
          {note}
        </span>
      )}
    </button>
  );
}

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
            onShow={() => props.onShow(step.id)}
          />
          <StepMenu state={state} step={step} onRerun={() => setAsked(step.id)} />
          {asked === step.id && state.status !== 'running' ? (
            <RerunQuestion state={state} step={step.id} onDone={() => setAsked(null)} />
          ) : null}
        </li>
      ))}
    </ol>
  );
}
