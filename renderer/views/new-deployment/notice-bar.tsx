import { Button } from '@mantine/core';
import { useStore } from 'zustand';
import type { ImportedSpec } from '../../../main/contract/spec-tools';
import { useWorkbench } from '../../workbench';

const sourceText: Readonly<Record<ImportedSpec['source'], string>> = {
  'run-yaml': 'run.yaml of this workbench',
  'runner-yaml-1': 'runner configuration, first generation',
  'runner-yaml-2': 'runner configuration, second generation',
  'shell-environment': 'shell environment file',
  'config-pbtxt': 'config.pbtxt',
};

/** What took the place of the choice, what was left out of it, and the way back. */
export function NoticeBar() {
  const { draft } = useWorkbench();
  const { notice, takeBack, dismiss } = useStore(draft);
  if (notice === null) return null;
  const canTakeBack = notice.kind !== 'imported' || notice.taken;
  return (
    <section className="notice-bar" role="status">
      <div className="notice-text">
        {notice.kind === 'started-over' ? 'Everything is as the preset has it again.' : null}
        {notice.kind === 'reused' ? `Taken over: ${notice.what}.` : null}
        {notice.kind === 'other-model'
          ? `${notice.what}: what was chosen for the model before is laid aside.`
          : null}
        {notice.kind === 'imported' ? (
          <>
            <strong>
              {notice.taken ? 'Imported' : 'Nothing imported'}: {notice.fileName}
            </strong>{' '}
            <span className="dim">({sourceText[notice.source]})</span>
            {notice.notes.length === 0 ? null : (
              <ul className="notice-notes" tabIndex={0} aria-label="Notes of the import">
                {notice.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            )}
          </>
        ) : null}
      </div>
      {canTakeBack ? (
        <Button size="compact-xs" variant="default" onClick={takeBack}>
          Undo
        </Button>
      ) : null}
      <Button size="compact-xs" variant="subtle" color="gray" onClick={dismiss}>
        Dismiss
      </Button>
    </section>
  );
}
