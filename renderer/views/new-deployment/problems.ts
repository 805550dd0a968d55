import { missingText } from '../../../main/contract/issue-text';
import type {
  ConfigEdit,
  SpecPreview,
  SpecProblem,
  StartProblem,
} from '../../../main/contract/run/spec-tools';
import { getAt, type Tree } from '../../../main/contract/trees';
import { pageOf, type WizardPage } from '../../stores/draft/wizard-page';
import { type Field, pathOf } from './fields/field';
import { textProblem } from './read-text';

/** Whether a problem is about this field or a part of it: "performance.batchSizes.1" is about the list. */
export const isAbout = (problem: Pick<SpecProblem, 'field'>, path: string): boolean =>
  problem.field === path || problem.field.startsWith(`${path}.`);

export const problemText = (problem: SpecProblem): string => {
  const { field, message } = problem;
  return message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
};

const requiredText = 'Required';

export const configTextField = 'configure.config.pbtxt';

export function problemsOf(
  fields: readonly Field[],
  overrides: Tree,
  preview: Pick<SpecPreview, 'problems'> | null,
  editProblem: ConfigEdit['problem'],
): readonly SpecProblem[] {
  const unread = fields.flatMap((field): SpecProblem[] => {
    const message = textProblem(field.control, getAt(overrides, field.keys));
    return message === null ? [] : [{ field: pathOf(field), severity: 'problem', message, remedy: null }];
  });
  const others = (preview?.problems ?? [])
    .filter((problem) => !unread.some(({ field }) => isAbout(problem, field)))
    .map((problem) =>
      problemText(problem) === missingText ? { ...problem, message: requiredText } : problem,
    );
  const edit: SpecProblem[] =
    editProblem === null
      ? []
      : [
          {
            field: configTextField,
            severity: 'problem',
            message: `${editProblem.line === null ? '' : `Line ${editProblem.line}: `}${editProblem.message}`,
            remedy: 'Correct the text, or discard it.',
          },
        ];
  return [...unread, ...others, ...edit];
}

/**
 * Adds the problems found on the machine. A field's own problem comes first; one that a button fixes replaces the same
 * one without.
 */
export function withStartProblems(
  problems: readonly SpecProblem[],
  start: readonly StartProblem[],
): readonly SpecProblem[] {
  const hard = (field: string) => (one: SpecProblem) => one.field === field && one.severity === 'problem';
  const fixable = start.filter(({ fixes = [] }) => fixes.length > 0);
  const kept = problems.filter(
    (problem) => problem.severity !== 'problem' || !fixable.some(({ field }) => field === problem.field),
  );
  return [...kept, ...start.filter(({ field }) => !kept.some(hard(field)))];
}

export const isMissing = (problem: SpecProblem, value: unknown): boolean =>
  problem.message === requiredText && (value === undefined || value === '');

export interface PageState {
  readonly state: 'valid' | 'unvisited' | 'needs-input' | 'problem' | 'warning';
  readonly problems: number;
  readonly warnings: number;
}

/** Input is needed where nothing but missing values is wrong. The review is as bad as the worst page. */
export function pageState(
  page: WizardPage,
  problems: readonly SpecProblem[],
  value: (field: string) => unknown,
  visited: boolean,
): PageState {
  const here = problems.filter((problem) => page === 'review' || pageOf(problem.field) === page);
  const hard = here.filter(({ severity }) => severity === 'problem');
  const missing = hard.filter(({ field }) => {
    const given = value(field);
    return field !== '' && field !== configTextField && (given === undefined || given === '');
  });
  const warnings = here.filter(({ severity }) => severity === 'warning').length;
  const state =
    hard.length === 0
      ? warnings > 0
        ? 'warning'
        : visited
          ? 'valid'
          : 'unvisited'
      : page !== 'review' && missing.length === hard.length
        ? 'needs-input'
        : 'problem';
  return { state, problems: hard.length, warnings };
}
