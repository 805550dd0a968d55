import { Button } from '@mantine/core';
import {
  type Icon,
  IconAlertTriangle,
  IconArrowLeft,
  IconArrowRight,
  IconCircle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconPlayerPlay,
} from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { SmallButton } from '../../components/actions';
import { AskFirst } from '../../components/confirm-in-place';
import { LinkButton } from '../../components/links';
import { useCurrentInSight } from '../../components/use/use-current-in-sight';
import { counted } from '../../format/words';
import { pageTitle, type WizardPage, wizardPages } from '../../stores/draft/wizard-page';
import { changesText } from './changes';
import { useFormView, useShowProblems } from './form-view';
import { pageSummary } from './page-text';
import { planSummary } from './plan-text';
import { type PageState, pageState } from './problems';
import type { useStart } from './use-start';
import { useWizard } from './wizard-context';

const styles: Readonly<Record<PageState['state'], readonly [icon: Icon, tone: string, word: string]>> = {
  valid: [IconCircleCheck, 'good', 'No problems'],
  unvisited: [IconCircle, 'dim', 'Not visited'],
  'needs-input': [IconCircleDashed, 'info', 'Needs input'],
  problem: [IconCircleX, 'bad', 'Problem'],
  warning: [IconAlertTriangle, 'warn', 'Warning'],
};

const problemCount = ({ problems, warnings }: PageState): string =>
  problems > 0 ? counted(problems, 'problem') : counted(warnings, 'warning');

export function WizardSteps() {
  const { draft, problems, context, valueAt } = useWizard();
  const place = useRef<HTMLElement>(null);
  useCurrentInSight(place, draft.page);
  return (
    <nav ref={place} className="wizard-steps" aria-label="Steps of the deployment">
      <ol>
        {wizardPages.map((page, index) => {
          const of = pageState(
            page,
            problems,
            (field) => valueAt(field.split('.')),
            page === draft.page || draft.visited.includes(page),
          );
          const [StateIcon, tone, word] = styles[of.state];
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
                onClick={() => draft.goTo(page)}
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

function StartAnyway({ starting, onStart }: { starting: boolean; onStart: () => void }) {
  return (
    <AskFirst
      question="Start although the preflight found problems? The run is marked."
      action="Start anyway"
      onConfirm={onStart}
    >
      {(ask) => (
        <SmallButton loading={starting} title="Skips the preflight, as --skip-preflight does" onClick={ask}>
          Start anyway…
        </SmallButton>
      )}
    </AskFirst>
  );
}

function BackAndNext() {
  const { draft } = useWizard();
  const at = wizardPages.indexOf(draft.page);
  const [before, after] = [wizardPages[at - 1], wizardPages[at + 1]];
  const leading = (to: WizardPage | undefined, word: string, way: string) =>
    ({
      size: 'xs',
      variant: 'default',
      disabled: to === undefined,
      'aria-label': to === undefined ? word : `${way} ${pageTitle[to]}`,
      onClick: () => {
        if (to !== undefined) draft.goTo(to);
      },
    }) as const;
  return (
    <>
      <Button
        {...leading(before, 'Back', 'Back to')}
        leftSection={<IconArrowLeft size={14} aria-hidden="true" />}
      >
        Back
      </Button>
      <Button
        {...leading(after, 'Next', 'Next:')}
        rightSection={<IconArrowRight size={14} aria-hidden="true" />}
      >
        Next{after === undefined ? '' : `: ${pageTitle[after]}`}
      </Button>
    </>
  );
}

function State() {
  const { draft, problems, changes } = useWizard();
  const showProblems = useShowProblems();
  const plan = draft.plan === null ? null : planSummary(draft.plan);
  const hard = problems.filter(({ severity }) => severity === 'problem').length;
  const unchanged = changes.length === 0 ? 'All defaults' : changesText(changes.length);
  return (
    <span className="wizard-state" role="status">
      {hard > 0 ? (
        <LinkButton className="tone-bad" onClick={showProblems}>
          {counted(hard, 'problem')} to fix
        </LinkButton>
      ) : (
        <span className="dim">{draft.changing === null ? unchanged : plan}</span>
      )}
    </span>
  );
}

export function WizardFoot({ starting, start, startAnyway }: ReturnType<typeof useStart>) {
  const { draft, ready, onlyPreflight } = useWizard();
  const view = useFormView();
  useEffect(() => {
    // Messages are shown beside the pages.
    document.body.classList.add('above-foot');
    return () => document.body.classList.remove('above-foot');
  }, []);
  return (
    <footer className="wizard-foot" aria-label="Way through the steps">
      {view === 'all' ? <BackAndNext /> : null}
      <State />
      {onlyPreflight ? <StartAnyway starting={starting} onStart={startAnyway} /> : null}
      <SmallButton
        variant="filled"
        icon={IconPlayerPlay}
        disabled={!ready}
        loading={starting}
        title="Ctrl+Enter"
        aria-keyshortcuts="Control+Enter"
        onClick={start}
      >
        {draft.changing === null ? 'Start deployment' : 'Change and continue'}
      </SmallButton>
    </footer>
  );
}
