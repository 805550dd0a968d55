import { useEffect, useState } from 'react';
import type { StepId } from '../../../main/contract/run/run-events';
import type { RunState } from '../../../main/contract/run/run-state';
import { stepTitle } from '../../../main/contract/words';
import { CompactButton } from '../../components/actions';
import { attempt } from '../../components/notices';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';

export function RerunQuestion(props: { state: RunState; step: StepId; onDone: () => void }) {
  const { state, step, onDone } = props;
  const { client, run } = useWorkbench();
  const [busy, working] = useWork();
  const { runId } = state;
  const [steps, setSteps] = useState<readonly StepId[]>([]);
  useEffect(() => {
    attempt(async () => {
      setSteps(await client.call('runs.planRerun', { runId, step }));
    });
  }, [client, runId, step]);
  const levels = (['offline', 'online'] as const)
    .filter((scenario) => steps.includes(scenario))
    .reduce((sum, scenario) => sum + state.scenarios[scenario].points.length, 0);
  const question = `Rerun from ${stepTitle[step]}?`;
  return (
    <div
      className="column rerun"
      role="group"
      aria-label={question}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone();
      }}
    >
      <strong>{question}</strong>
      {steps.length === 0 ? null : <p>Steps to run again: {steps.map((id) => stepTitle[id]).join(', ')}.</p>}
      {levels === 0 ? null : (
        <p>{levels === 1 ? '1 measured level is' : `${levels} measured levels are`} measured again.</p>
      )}
      <div className="buttons">
        <CompactButton autoFocus onClick={onDone}>
          Keep
        </CompactButton>
        <CompactButton
          variant="filled"
          loading={busy}
          onClick={working(async () => {
            await client.call('runs.rerunFrom', { runId, step });
            await run.getState().open(runId);
            onDone();
          })}
        >
          Rerun
        </CompactButton>
      </div>
    </div>
  );
}
