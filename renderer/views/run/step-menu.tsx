import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPlayerPlay, IconRepeat } from '@tabler/icons-react';
import type { RunState, StepState } from '../../../main/contract/run-state';
import { stepTitle } from '../../../main/contract/step-text';
import { attempt } from '../../components/notices';
import { doRunWork } from '../../stores/run-work';
import { useWorkbench } from '../../workbench';

/** What can be done with one step of a run that nobody works on. */
export function StepMenu(props: { state: RunState; step: StepState; onRerun: () => void }) {
  const { state, step } = props;
  const { client, run } = useWorkbench();
  const { runId } = state;
  if (state.status === 'running' || step.status === 'waiting') return null;
  const retry = step.status === 'failed' || step.status === 'cancelled';
  return (
    <Menu position="bottom-end" shadow="md" withinPortal>
      <Menu.Target>
        <ActionIcon
          className="step-menu"
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`Actions of ${stepTitle[step.id]}`}
        >
          <IconDots size={15} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {retry ? (
          <Menu.Item
            leftSection={<IconPlayerPlay size={14} aria-hidden="true" />}
            onClick={() => {
              attempt(async () => {
                await doRunWork(client, runId, 'resume');
                await run.getState().open(runId);
              });
            }}
          >
            Retry step
          </Menu.Item>
        ) : null}
        <Menu.Item leftSection={<IconRepeat size={14} aria-hidden="true" />} onClick={props.onRerun}>
          Rerun from here
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
