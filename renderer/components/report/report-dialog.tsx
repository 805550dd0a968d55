import { Checkbox, Fieldset, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { toWire, type WireError } from '../../../main/contract/errors';
import { remedyOf } from '../../../main/contract/remedy';
import {
  partTitles,
  type ReportChange,
  type ReportPart,
  reportParts,
  type ReportSection,
  type ReportSettings,
  type ReportSubject,
  reportTextSchema,
  sectionTitles,
} from '../../../main/contract/settings/report-settings';
import { asSentence } from '../../format/words';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { SmallButton } from '../actions';
import { attempting, noticeDone } from '../notices';

const longestLine = reportTextSchema.shape.title.maxLength ?? undefined;
const longestNotes = reportTextSchema.shape.notes.maxLength ?? undefined;

interface Draft extends ReportSettings {
  /** Path; null: remove it; undefined: unchanged. */
  readonly chosen: string | null | undefined;
}

interface FieldProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

const changeOf = ({ title, customer, author, notes, without, chosen }: Draft): ReportChange => ({
  ...{ title, customer, author, notes, without },
  ...(chosen === undefined ? {} : { logo: chosen }),
});

const nameOf = (path: string): string => path.replace(/^.*[/\\]/, '');

/** A file that cannot be used is refused when it is chosen, and what was there before stays. */
function LogoField({ draft, onChange }: FieldProps) {
  const { client } = useWorkbench();
  const [refused, setRefused] = useState<WireError | null>(null);
  const take = (chosen: string | null, logo: string | null): void => {
    setRefused(null);
    onChange({ ...draft, chosen, logo });
  };
  const choose = async (): Promise<void> => {
    const title = 'Logo: PNG, JPEG or SVG, at most 256 KiB';
    const file = await client.call('desktop.choosePath', { kind: 'file', title });
    if (file === null) return;
    try {
      await client.call('reports.checkLogo', file);
    } catch (error) {
      setRefused(toWire(error));
      return;
    }
    take(file.path, nameOf(file.path));
  };
  return (
    <div>
      <Group gap="xs">
        <Text size="sm">Logo: {draft.logo ?? 'none'}</Text>
        <SmallButton onClick={attempting(choose)}>Choose…</SmallButton>
        {draft.logo === null ? null : (
          <SmallButton variant="subtle" onClick={() => take(null, null)}>
            Remove
          </SmallButton>
        )}
      </Group>
      {refused === null ? null : (
        <Text size="sm" mt={6} className="tone-bad" role="alert">
          {nameOf(refused.where ?? '')}: {asSentence(refused.message)} {remedyOf(refused)}
        </Text>
      )}
    </div>
  );
}

const parts = Object.keys(reportParts) as ReportPart[];

/** @param detailed with the sections of each part, which only the report of a run has */
function ContentsField({ draft, onChange, detailed }: FieldProps & { detailed: boolean }) {
  const { without } = draft;
  const keep = (sections: readonly ReportSection[], kept: boolean): void =>
    onChange({
      ...draft,
      without: [...without.filter((section) => !sections.includes(section)), ...(kept ? [] : sections)],
    });
  return (
    <Fieldset variant="unstyled" legend="Contents" mx={0}>
      <Stack gap="xs">
        <Checkbox size="xs" checked readOnly disabled label="Summary, problems and warnings" />
        {parts.map((part) => {
          const sections: readonly ReportSection[] = reportParts[part];
          const kept = sections.filter((section) => !without.includes(section));
          return (
            <div key={part}>
              <Checkbox
                size="xs"
                label={partTitles[part]}
                checked={kept.length > 0}
                indeterminate={detailed && kept.length > 0 && kept.length < sections.length}
                onChange={() => keep(sections, kept.length === 0)}
              />
              {detailed ? (
                <Group gap="sm" mt={6} ml="lg">
                  {sections.map((section) => (
                    <Checkbox
                      key={section}
                      size="xs"
                      label={sectionTitles[section]}
                      checked={!without.includes(section)}
                      onChange={({ currentTarget }) => keep([section], currentTarget.checked)}
                    />
                  ))}
                </Group>
              ) : null}
            </div>
          );
        })}
      </Stack>
    </Fieldset>
  );
}

function TextFields({ draft, onChange }: FieldProps) {
  const line = (
    key: 'title' | 'customer' | 'author',
    label: string,
    description: string,
    placeholder = '',
  ) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      description={description}
      maxLength={longestLine}
      value={draft[key]}
      onChange={({ currentTarget }) => onChange({ ...draft, [key]: currentTarget.value })}
    />
  );
  return (
    <>
      {line('title', 'Title', 'For this report only', 'Subject of the report')}
      <Group grow align="start">
        {line('customer', 'Customer', 'For this report only; at the head of each page')}
        {line('author', 'Author', 'Saved for all further reports')}
      </Group>
      <Textarea
        label="Notes"
        description="For this report only; below the verdict, or on the second page if they are long"
        autosize
        minRows={2}
        maxRows={8}
        maxLength={longestNotes}
        value={draft.notes}
        onChange={({ currentTarget }) => onChange({ ...draft, notes: currentTarget.value })}
      />
    </>
  );
}

/** `onSavePdf`: saves the PDF after the change. */
export function ReportDialog({
  subject,
  settings,
  onSavePdf,
  onClose,
}: {
  subject: ReportSubject;
  settings: ReportSettings;
  onSavePdf: () => Promise<void>;
  onClose: () => void;
}) {
  const { client } = useWorkbench();
  const [draft, setDraft] = useState<Draft>({ ...settings, chosen: undefined });
  const [busy, working] = useWork();
  const isRun = subject.kind === 'run';
  const write = (then: () => Promise<void> | void) =>
    working(async () => {
      await client.call('reports.change', { subject, change: changeOf(draft) });
      await then();
      onClose();
    });
  const said = (): void => {
    if (isRun) {
      const message = 'HTML, PDF and Markdown have the new title, customer, logo and contents.';
      noticeDone('Reports written', message);
    } else noticeDone('Kept', 'The next report has this title, customer, logo and contents.');
  };
  const field = { draft, onChange: setDraft };
  return (
    <Modal opened onClose={onClose} size="lg" title="Title, customer and contents of the report">
      <Stack gap="sm">
        <TextFields {...field} />
        <LogoField {...field} />
        <ContentsField {...field} detailed={isRun} />
        <Text size="xs" c="dimmed">
          Author, logo and contents are kept for every further report.
        </Text>
        <Group justify="flex-end" gap="xs">
          <SmallButton onClick={onClose}>Cancel</SmallButton>
          <SmallButton loading={busy} onClick={write(said)}>
            {isRun ? 'Write reports' : 'Keep'}
          </SmallButton>
          <SmallButton variant="filled" loading={busy} onClick={write(onSavePdf)}>
            Save PDF…
          </SmallButton>
        </Group>
      </Stack>
    </Modal>
  );
}
