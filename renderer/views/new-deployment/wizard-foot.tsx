import { Button } from '@mantine/core';
import { IconArrowLeft, IconArrowRight, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmInPlace } from '../../components/confirm-in-place';
import { pageTitle, wizardPages } from '../../stores/draft/wizard-page';
import { planSummary } from './change-text';
import { changesText } from './changes';
import { useWizard } from './wizard-context';

/** For a start that only the preflight refuses; asks before. */
function StartAnyway({ starting, onStart }: { starting: boolean; onStart: () => void }) {
  const [asking, setAsking] = useState(false);
  if (asking) {
    return (
      <ConfirmInPlace
        question="Start although the preflight found problems? The run is marked."
        action="Start anyway"
        onConfirm={() => {
          setAsking(false);
          onStart();
        }}
        onCancel={() => {
          setAsking(false);
        }}
      />
    );
  }
  return (
    <Button
      size="xs"
      variant="default"
      loading={starting}
      title="Skips the preflight, as --skip-preflight does"
      onClick={() => {
        setAsking(true);
      }}
    >
      Start anyway…
    </Button>
  );
}

/** Back, Next, and the start as soon as nothing is missing. */
export function WizardFoot(props: { starting: boolean; onStart: () => void; onStartAnyway: () => void }) {
  const { starting, onStart, onStartAnyway } = props;
  const { draft, problems, ready, onlyPreflight, changes } = useWizard();
  const { changing } = draft;
  const plan = draft.plan === null ? null : planSummary(draft.plan);
  const at = wizardPages.indexOf(draft.page);
  const before = wizardPages[at - 1];
  const after = wizardPages[at + 1];
  const hard = problems.filter(({ severity }) => severity === 'problem').length;
  return (
    <footer className="wizard-foot" aria-label="Way through the steps">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconArrowLeft size={14} aria-hidden="true" />}
        disabled={before === undefined}
        aria-label={before === undefined ? 'Back' : `Back to ${pageTitle[before]}`}
        onClick={() => {
          if (before !== undefined) draft.goTo(before);
        }}
      >
        Back
      </Button>
      <Button
        size="xs"
        variant="default"
        rightSection={<IconArrowRight size={14} aria-hidden="true" />}
        disabled={after === undefined}
        aria-label={after === undefined ? 'Next' : `Next: ${pageTitle[after]}`}
        onClick={() => {
          if (after !== undefined) draft.goTo(after);
        }}
      >
        Next{after === undefined ? '' : `: ${pageTitle[after]}`}
      </Button>
      <span className="wizard-state" role="status">
        {hard > 0 ? (
          <button
            type="button"
            className="plain-button link tone-bad"
            onClick={() => {
              draft.goTo('review');
            }}
          >
            {hard === 1 ? '1 problem' : `${hard} problems`} to fix
          </button>
        ) : (
          <span className="dim">
            {changing !== null
              ? plan
              : changes.length === 0
                ? 'Preset defaults'
                : changesText(changes.length)}
          </span>
        )}
      </span>
      {onlyPreflight ? <StartAnyway starting={starting} onStart={onStartAnyway} /> : null}
      <Button
        size="xs"
        leftSection={<IconPlayerPlay size={14} aria-hidden="true" />}
        disabled={!ready}
        loading={starting}
        title="Ctrl+Enter"
        aria-keyshortcuts="Control+Enter"
        onClick={onStart}
      >
        {changing === null ? 'Start deployment' : 'Change and continue'}
      </Button>
    </footer>
  );
}
