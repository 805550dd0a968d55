import { errorText } from '../contract/error-text';
import { damageText } from '../contract/journal-damage';
import type { RunState } from '../contract/run-state';
import { stepTitle } from '../contract/step-text';
import type { ReportProblem } from './report';

/** What went wrong or should be known, worst first. */
export function reportProblems(state: RunState): readonly ReportProblem[] {
  const failed = state.steps.find((step) => step.error !== null);
  const error = state.error ?? failed?.error ?? null;
  const problems: ReportProblem[] = [];
  if (error !== null) {
    const where = [failed === undefined ? null : `Step “${stepTitle[failed.id]}”`, error.where ?? null];
    problems.push({
      tone: 'bad',
      title: errorText[error.code].title,
      text: [error.message, ...where.filter((part) => part !== null)].join(' · '),
      remedy: error.remedy ?? errorText[error.code].remedy,
      details: error.details ?? null,
    });
  }
  const damage = damageText(state.damagedLines);
  if (damage !== null) {
    problems.push({
      tone: 'bad',
      title: errorText['journal-corrupt'].title,
      text: damage,
      remedy: errorText['journal-corrupt'].remedy,
      details: null,
    });
  }
  const gate = state.accuracy?.result;
  if (gate !== undefined && !gate.passed) {
    problems.push({
      tone: 'bad',
      title: 'Accuracy gate not passed',
      text: gate.reasons.join('; '),
      remedy: null,
      details: null,
    });
  }
  const warnings = [
    ...(state.imported?.notes ?? []).map((text) => ({ title: 'Imported', text })),
    ...(gate?.warnings ?? []).map((text) => ({ title: 'Accuracy', text })),
    ...state.steps.flatMap((step) => step.warnings.map((text) => ({ title: stepTitle[step.id], text }))),
  ];
  const seen = new Set<string>();
  for (const { title, text } of warnings) {
    if (seen.has(text)) continue;
    seen.add(text);
    problems.push({ tone: 'warning', title, text, remedy: null, details: null });
  }
  return problems;
}
