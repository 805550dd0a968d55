import {
  type Icon,
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
import type { ComponentProps } from 'react';
import type { Accuracy } from '../../main/contract/run/run-outcome';
import type { RunStatus, StepStatus } from '../../main/contract/run/run-state';
import { runStatusText, stepStatusText } from '../format/words';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'dim';

export interface StatusStyle {
  readonly icon: Icon;
  readonly tone: Tone;
}

export interface StatusWord extends StatusStyle {
  readonly text: string;
}

const runStyles: Readonly<Record<RunStatus, StatusStyle>> = {
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
const stepStyles: Readonly<Record<StepStatus | 'paused', StatusStyle>> = {
  ...runStyles,
  waiting: runStyles.created,
  skipped: runStyles.cancelled,
};

const warnedStyle: StatusStyle = { icon: IconAlertTriangle, tone: 'warn' };

/** Color only repeats icon and word. */
export function Status({
  icon: StatusIcon,
  tone,
  text,
  size = 15,
  children = text,
  ...rest
}: ComponentProps<'span'> & StatusStyle & { text?: string; size?: number }) {
  return (
    <span className={`status tone-${tone}`} {...rest}>
      <StatusIcon
        size={size}
        aria-hidden="true"
        className={StatusIcon === IconLoader2 ? 'turning' : undefined}
      />
      {children}
    </span>
  );
}

export function RunStatusText({ status, text }: { status: RunStatus; text?: string | undefined }) {
  return <Status {...runStyles[status]} text={text ?? runStatusText[status]} data-status={status} />;
}

export function PassedText({ passed }: { passed: boolean }) {
  return <Status {...runStyles[passed ? 'done' : 'failed']} text={passed ? 'Passed' : 'Not passed'} />;
}

const accuracyStyles: Readonly<Record<Accuracy['word'], StatusStyle>> = {
  verified: runStyles.done,
  failed: runStyles.failed,
  'not checked': runStyles.created,
};

export function AccuracyText({ word, children = word }: { word: Accuracy['word']; children?: string }) {
  return <Status {...accuracyStyles[word]}>{children}</Status>;
}

export function StepStatusIcon({ status, warned }: { status: StepStatus | 'paused'; warned: boolean }) {
  const style = warned && status === 'done' ? warnedStyle : stepStyles[status];
  return (
    <Status {...style} size={16}>
      <span className="visually-hidden">
        {status === 'paused' ? runStatusText.paused : stepStatusText[status]}
        {warned ? ', with warnings' : ''}
      </span>
    </Status>
  );
}
