import { Button } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { formatWhen } from '../../../format/times';
import { newDraftOf } from '../../../stores/draft/draft-session';
import { isOwnModel, isWorthKeeping, openText } from '../../../stores/draft/draft-state';
import { settingsOf } from '../../../stores/settings';
import { useWorkbench } from '../../../workbench';
import { changesText } from '../changes';
import { useWizard } from '../wizard-context';

/** A draft that was left before it was started. */
export function ContinueDraft({ onContinue }: { onContinue: () => void }) {
  const { draft, preset, changes } = useWizard();
  const { settings } = useWorkbench();
  const fresh = newDraftOf(settingsOf(useStore(settings)));
  const { changing, editedAt, name, p99BudgetMs, overrides } = draft;
  // What says the same as the defaults is nothing to continue.
  const isDefault =
    changes.length === 0 &&
    !isOwnModel(overrides) &&
    name === '' &&
    p99BudgetMs === fresh.p99BudgetMs &&
    openText(draft) === null;
  if (!isWorthKeeping(draft, fresh) || (changing === null && isDefault)) return null;
  const what =
    changing === null
      ? [
          ...(name === '' ? [] : [name]),
          preset.title,
          changesText(changes.length),
          ...(editedAt === null ? [] : [`edited ${formatWhen(editedAt)}`]),
        ].join(', ')
      : `Run ${changing} stays as it is until you press Change and continue.`;
  return (
    <section className="panel start-continue" aria-label="Unfinished draft">
      <div className="start-continue-text">
        <h2>{changing === null ? 'Unfinished draft' : 'Unfinished change of a run'}</h2>
        <p className="dim">{what}</p>
      </div>
      <Button size="xs" rightSection={<IconArrowRight size={14} aria-hidden="true" />} onClick={onContinue}>
        {changing === null ? 'Continue the draft' : 'Continue the change'}
      </Button>
    </section>
  );
}
