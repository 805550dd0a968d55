import {
  type Icon,
  IconContainer,
  IconPencil,
  IconPlayerPlay,
  IconPlugConnected,
  IconShieldOff,
  IconStethoscope,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { WireError } from '../../../main/contract/errors';
import type { RunState } from '../../../main/contract/run/run-state';
import { SmallButton } from '../../components/actions';
import { attempt } from '../../components/notices';
import { doRunWork } from '../../stores/run-work';
import { useWorkbench, type Workbench } from '../../workbench';
import { editRun, isChangeable } from '../runs/run-tools';
import { needsOtherFiles, remediesOf, type RemedyAction } from './remedies';

const buttons: Readonly<
  Record<RemedyAction, { readonly icon: Icon; readonly label: string; readonly help: string }>
> = {
  edit: {
    icon: IconPencil,
    label: 'Change and continue…',
    help: 'Opens the wizard with the settings of this run; only what depends on your changes is done again',
  },
  'measure-unverified': {
    icon: IconShieldOff,
    label: 'Measure anyway',
    help: 'Continues this run past the accuracy gate and marks every result “accuracy failed”',
  },
  'free-port': {
    icon: IconPlugConnected,
    label: 'Use a free port',
    help: 'Opens the wizard with the settings of this run and no fixed port',
  },
  environment: {
    icon: IconStethoscope,
    label: 'Open Environment',
    help: 'Shows what is installed on this machine',
  },
  containers: { icon: IconContainer, label: 'Open Containers', help: 'Shows Docker and its images' },
  resume: {
    icon: IconPlayerPlay,
    label: 'Resume',
    help: 'Retries the failed step; completed steps are not repeated',
  },
};

const resumeFilesButton = {
  icon: IconPlayerPlay,
  label: 'Resume with changed files',
  help: 'Repeats what depends on the files of your model and data, as they are now; unchanged ones fail again',
};

const runAgainButton = {
  icon: IconPencil,
  label: 'Run again with changes',
  help: 'Opens the wizard with the settings of this run',
};

/** Rejects with a WorkbenchError. */
async function act(workbench: Workbench, state: RunState, action: RemedyAction): Promise<void> {
  const { client, run, route, draft } = workbench;
  const { runId } = state;
  switch (action) {
    case 'edit':
      await editRun(workbench, state);
      return;
    case 'free-port':
      await editRun(workbench, state);
      // Without these the run takes free ports.
      for (const port of ['httpPort', 'grpcPort']) draft.getState().reset(['engine', port]);
      draft.getState().goTo('environment');
      return;
    case 'measure-unverified':
      await client.call('runs.resume', { runId, allowUnverified: true });
      await run.getState().open(runId);
      return;
    case 'resume':
      await doRunWork(client, runId, 'resume');
      await run.getState().open(runId);
      return;
    case 'environment':
    case 'containers':
      route.getState().go({ page: action });
  }
}

function buttonOf(action: RemedyAction, state: RunState, error: WireError) {
  if (action === 'edit' && !isChangeable(state)) return runAgainButton;
  return action === 'resume' && needsOtherFiles(error) ? resumeFilesButton : buttons[action];
}

export function RemedyButtons({ state, error }: { state: RunState; error: WireError }) {
  const workbench = useWorkbench();
  const [busy, setBusy] = useState<RemedyAction | null>(null);
  return remediesOf(error, state).map((action, index) => {
    const { icon: ActionIcon, label, help } = buttonOf(action, state, error);
    return (
      <SmallButton
        icon={ActionIcon}
        key={action}
        variant={index === 0 ? 'filled' : 'default'}
        loading={busy === action}
        title={help}
        onClick={() => {
          setBusy(action);
          attempt(async () => {
            try {
              await act(workbench, state, action);
            } finally {
              setBusy(null);
            }
          });
        }}
      >
        {label}
      </SmallButton>
    );
  });
}
