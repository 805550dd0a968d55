import { formatDuration } from '../contract/numbers';
import type { Tone } from '../contract/run-outcome';
import type { RunState, StepState } from '../contract/run-state';
import { stepTitle } from '../contract/step-text';
import { shellLine } from '../platform/shell-line';
import type { ReportCommand, ReportStep } from './report';

const statusWords: Readonly<Record<StepState['status'], { readonly label: string; readonly tone: Tone }>> = {
  waiting: { label: 'not reached', tone: 'neutral' },
  running: { label: 'under way', tone: 'neutral' },
  done: { label: 'done', tone: 'good' },
  skipped: { label: 'skipped', tone: 'neutral' },
  failed: { label: 'failed', tone: 'bad' },
  cancelled: { label: 'cancelled', tone: 'warning' },
};

const skipWords = {
  unchanged: 'done before',
  cached: 'from the cache',
  'not-needed': 'not needed',
} as const;

/** Every step but the one that writes this report. */
export function reportSteps(state: RunState): readonly ReportStep[] {
  return state.steps
    .filter(({ id }) => id !== 'report')
    .map((step) => {
      const { label, tone } = statusWords[step.status];
      return {
        id: step.id,
        title: stepTitle[step.id],
        status: step.skippedBecause === null ? label : skipWords[step.skippedBecause],
        tone,
        duration: formatDuration(step.durationUs),
        facts: step.facts,
        warnings: step.warnings,
      };
    });
}

/** Every command in the order of the steps, exactly as it was run. */
export function reportCommands(state: RunState): readonly ReportCommand[] {
  return state.steps.flatMap((step) =>
    step.commands.map(({ argv, note }) => ({
      step: stepTitle[step.id],
      note: note ?? null,
      argv,
      line: shellLine(argv),
    })),
  );
}
