import type { Icon } from '@tabler/icons-react';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
  IconPlayerPause,
  IconPlugConnectedX,
  IconShieldX,
} from '@tabler/icons-react';
import type { RunStatus, StepStatus } from '../../main/contract/run/run-state';
import { runStatusText, stepStatusText } from '../format/words';

interface Look {
  readonly icon: Icon;
  readonly tone: 'good' | 'warn' | 'bad' | 'info' | 'dim';
}

const runLooks: Readonly<Record<RunStatus, Look>> = {
  created: { icon: IconCircleDashed, tone: 'dim' },
  running: { icon: IconLoader2, tone: 'info' },
  interrupted: { icon: IconPlugConnectedX, tone: 'warn' },
  done: { icon: IconCircleCheck, tone: 'good' },
  failed: { icon: IconCircleX, tone: 'bad' },
  'gate-failed': { icon: IconShieldX, tone: 'bad' },
  cancelled: { icon: IconCircleMinus, tone: 'dim' },
  paused: { icon: IconPlayerPause, tone: 'warn' },
};

/** `paused`: a step that has begun and waits for Resume. */
const stepLooks: Readonly<Record<StepStatus | 'paused', Look>> = {
  waiting: { icon: IconCircleDashed, tone: 'dim' },
  running: { icon: IconLoader2, tone: 'info' },
  done: { icon: IconCircleCheck, tone: 'good' },
  skipped: { icon: IconCircleMinus, tone: 'dim' },
  failed: { icon: IconCircleX, tone: 'bad' },
  cancelled: { icon: IconCircleMinus, tone: 'dim' },
  paused: { icon: IconPlayerPause, tone: 'warn' },
};

/** State of a run: icon and word, the color only repeats it. `text` is more exact where more is known. */
export function RunStatusText({ status, text }: { status: RunStatus; text?: string | undefined }) {
  const { icon: StatusIcon, tone } = runLooks[status];
  return (
    <span className={`status tone-${tone}`} data-status={status}>
      <StatusIcon size={15} aria-hidden="true" className={status === 'running' ? 'turning' : undefined} />
      {text ?? runStatusText[status]}
    </span>
  );
}

export function StepStatusIcon({ status, warned }: { status: StepStatus | 'paused'; warned: boolean }) {
  const look = stepLooks[status];
  const StatusIcon = warned && status === 'done' ? IconAlertTriangle : look.icon;
  const tone = warned && status === 'done' ? 'warn' : look.tone;
  return (
    <span className={`status tone-${tone}`}>
      <StatusIcon size={16} aria-hidden="true" className={status === 'running' ? 'turning' : undefined} />
      <span className="visually-hidden">
        {status === 'paused' ? runStatusText.paused : stepStatusText[status]}
        {warned ? ', with warnings' : ''}
      </span>
    </span>
  );
}
