import { errorText } from '../contract/error-text';
import { formatDuration } from '../contract/numbers';
import { damageText, skippedText } from '../contract/run/run-events';
import type { Tone } from '../contract/run/run-outcome';
import type { RunState, StepState } from '../contract/run/run-state';
import { shellLine } from '../contract/shell-line';
import { stepTitle } from '../contract/words';
import type { ReportCommand, ReportProblem, ReportStep } from './report';

/** The run's error, or that of its first step that has one. */
function errorProblem({ steps, error: ofRun }: RunState): ReportProblem | null {
  const failed = steps.find((step) => step.error !== null);
  const error = ofRun ?? failed?.error ?? null;
  if (error === null) return null;
  const { title, remedy } = errorText[error.code];
  const where = [failed === undefined ? null : `Step “${stepTitle[failed.id]}”`, error.where ?? null];
  return {
    tone: 'bad',
    title,
    text: [error.message, ...where.filter((part) => part !== null)].join(' · '),
    remedy: error.remedy ?? remedy,
    details: error.details ?? null,
  };
}

function damageProblem({ damagedLines }: RunState): ReportProblem | null {
  const { title, remedy } = errorText['journal-corrupt'];
  const text = damageText(damagedLines);
  return text === null ? null : { tone: 'bad', title, text, remedy, details: null };
}

/** What went wrong or should be known, worst first. */
export function reportProblems(state: RunState): readonly ReportProblem[] {
  const gate = state.accuracy?.result;
  const gateProblem: ReportProblem | null =
    gate === undefined || gate.passed
      ? null
      : {
          tone: 'bad',
          title: 'Accuracy gate not passed',
          text: gate.reasons.join('; '),
          remedy: null,
          details: null,
        };
  const warnings = [
    ...(state.imported?.notes ?? []).map((text) => ({ title: 'Imported', text })),
    ...(state.preflight?.skipped === true
      ? [{ title: stepTitle.images, text: skippedText(state.preflight) }]
      : []),
    ...(gate?.warnings ?? []).map((text) => ({ title: 'Accuracy', text })),
    ...state.steps.flatMap((step) => step.warnings.map((text) => ({ title: stepTitle[step.id], text }))),
  ];
  const seen = new Set<string>();
  const distinct = warnings.filter(({ text }) => {
    const isFirst = !seen.has(text);
    seen.add(text);
    return isFirst;
  });
  return [
    ...[errorProblem(state), damageProblem(state), gateProblem].filter((problem) => problem !== null),
    ...distinct.map((warning) => ({ tone: 'warning' as const, ...warning, remedy: null, details: null })),
  ];
}

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
