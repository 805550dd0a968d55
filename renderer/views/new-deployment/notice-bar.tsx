import { Button, NativeSelect } from '@mantine/core';
import { useStore } from 'zustand';
import type { ImportedSpec } from '../../../main/contract/run/spec-tools';
import { attempt } from '../../components/notices';
import { precisionText } from '../../format/words';
import { type DraftNotice, isBesideAnother } from '../../stores/draft/draft-state';
import { isTolerance } from '../../stores/draft/field-slice';
import { useWorkbench } from '../../workbench';
import { useWizard } from './wizard-context';

const sourceText: Readonly<Record<ImportedSpec['source'], string>> = {
  'run-yaml': 'run.yaml of this workbench',
  'runner-yaml-1': 'runner configuration, first generation',
  'runner-yaml-2': 'runner configuration, second generation',
  'shell-environment': 'shell environment file',
  'config-pbtxt': 'config.pbtxt',
};

export const NoticeAction = (props: { text: string; onClick: () => void; quiet?: boolean }) => (
  <Button
    size="compact-xs"
    {...(props.quiet === true ? { variant: 'subtle', color: 'gray' } : { variant: 'default' })}
    onClick={props.onClick}
  >
    {props.text}
  </Button>
);

function OtherConfigurations({ notice }: { notice: Extract<DraftNotice, { kind: 'imported' }> }) {
  const { draft } = useWorkbench();
  const { takeBack, importText } = useStore(draft);
  const { fileName, others } = notice;
  if (others === undefined) return null;
  const choose = (number: number): void => {
    if (notice.taken) takeBack();
    attempt(() => importText(fileName, others.text, { configuration: number, asNew: others.asNew }));
  };
  return (
    <NativeSelect
      size="xs"
      aria-label="Configuration"
      value={String(others.taken)}
      data={others.names.map((name, at) => ({ value: String(at + 1), label: `${at + 1}. ${name}` }))}
      onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
    />
  );
}

function noticeText(notice: Exclude<DraftNotice, { kind: 'imported' | 'changing' }>): string {
  switch (notice.kind) {
    case 'started-over':
      return 'All settings are the defaults of the model again.';
    case 'started-new':
      return 'New draft. The previous one is kept until you start this one, and under Recent.';
    case 'opened':
      return 'Draft opened. The previous one is kept, and under Recent.';
    case 'reused':
      return `Copied from ${notice.what}.`;
    case 'other-model':
      return `${notice.what}: the settings of the previous model were cleared.`;
  }
}

export function NoticeBar() {
  const { draft } = useWorkbench();
  const { notice, takeBack, dismiss } = useStore(draft);
  // That bar has more to say, and another place.
  if (notice === null || notice.kind === 'changing') return null;
  const canTakeBack = notice.kind !== 'imported' || notice.taken;
  return (
    <section className="notice-bar" role="status">
      <div className="notice-text">
        {notice.kind === 'imported' ? (
          <>
            <strong>
              {notice.taken ? 'Opened' : 'Not opened'}: {notice.fileName}
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
        ) : (
          noticeText(notice)
        )}
      </div>
      {notice.kind === 'imported' ? <OtherConfigurations notice={notice} /> : null}
      {canTakeBack ? (
        <NoticeAction
          text={isBesideAnother(notice) ? 'Back to the previous draft' : 'Undo'}
          onClick={takeBack}
        />
      ) : null}
      <NoticeAction text="Dismiss" onClick={dismiss} quiet />
    </section>
  );
}

export function ToleranceNotice() {
  const { draft, changes, valueAt } = useWizard();
  const { tolerancesOf, useDefaultTolerances } = draft;
  const precision = valueAt(['precision']);
  const now = precision === 'fp16' || precision === 'fp32' ? precisionText[precision] : null;
  if (tolerancesOf === null || now === null || !changes.some(({ keys }) => isTolerance(keys))) return null;
  return (
    <section className="notice-bar" role="status" aria-label="Tolerances">
      <div className="notice-text">
        The tolerances were set for {precisionText[tolerancesOf]}, and {now} is chosen.
      </div>
      <NoticeAction text={`Use the defaults of ${now}`} onClick={useDefaultTolerances} />
    </section>
  );
}
