import {
  type Icon,
  IconAlertTriangle,
  IconCircle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
} from '@tabler/icons-react';
import { counted } from '../../format/words';
import { pageTitle, wizardPages } from '../../stores/draft/wizard-page';
import { pageSummary } from './page-text';
import { type PageState, pageState } from './problems';
import { useWizard } from './wizard-context';

const looks: Readonly<Record<PageState['state'], readonly [icon: Icon, tone: string, word: string]>> = {
  valid: [IconCircleCheck, 'good', 'No problems'],
  unvisited: [IconCircle, 'dim', 'Not visited'],
  'needs-input': [IconCircleDashed, 'info', 'Needs input'],
  problem: [IconCircleX, 'bad', 'Problem'],
  warning: [IconAlertTriangle, 'warn', 'Warning'],
};

const problemCount = ({ problems, warnings }: PageState): string =>
  problems > 0 ? counted(problems, 'problem') : counted(warnings, 'warning');

/** The pages, each with its state; in any order. */
export function WizardSteps() {
  const { draft, problems, context, valueAt } = useWizard();
  return (
    <nav className="wizard-steps" aria-label="Steps of the deployment">
      <ol>
        {wizardPages.map((page, index) => {
          const of = pageState(
            page,
            problems,
            (field) => valueAt(field.split('.')),
            page === draft.page || draft.visited.includes(page),
          );
          const [StateIcon, tone, word] = looks[of.state];
          const summary =
            of.state === 'needs-input'
              ? word
              : of.state === 'valid' || of.state === 'unvisited'
                ? pageSummary[page](context)
                : problemCount(of);
          return (
            <li key={page}>
              <button
                type="button"
                className="plain-button wizard-step"
                data-page={page}
                data-state={of.state}
                aria-current={draft.page === page ? 'step' : undefined}
                aria-keyshortcuts={`Alt+${index + 1}`}
                title={`Alt+${index + 1}`}
                onClick={() => {
                  draft.goTo(page);
                }}
              >
                <span className={`status tone-${tone}`}>
                  <StateIcon size={16} aria-hidden="true" />
                  <span className="visually-hidden">{word}:</span>
                </span>
                <span className="step-title">{pageTitle[page]}</span>
                <span className={of.state === 'problem' ? 'step-note tone-bad' : 'step-note'}>{summary}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
