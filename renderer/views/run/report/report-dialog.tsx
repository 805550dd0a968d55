import { Checkbox, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import {
  type ReportChange,
  reportSections,
  type ReportSettings,
  reportTextSchema,
  sectionTitles,
} from '../../../../main/contract/run/report-settings';
import { SmallButton } from '../../../components/actions';
import { attempting, noticeDone } from '../../../components/notices';
import { useWork } from '../../../use-work';
import { useWorkbench } from '../../../workbench';

const { title: titleSchema, notes: notesSchema } = reportTextSchema.shape;

interface Draft extends ReportSettings {
  /** Path; null: remove it; undefined: unchanged. */
  readonly chosen: string | null | undefined;
}

const changeOf = ({ title, notes, without, chosen }: Draft): ReportChange => ({
  title,
  notes,
  without,
  ...(chosen === undefined ? {} : { logo: chosen }),
});

function LogoField({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const { client } = useWorkbench();
  return (
    <Group gap="xs">
      <Text size="sm">Logo: {draft.logo ?? 'none'}</Text>
      <SmallButton
        onClick={attempting(async () => {
          const title = 'Logo: PNG, JPEG or SVG, at most 256 KiB';
          const chosen = await client.call('desktop.choosePath', { kind: 'file', title });
          if (chosen === null) return;
          onChange({ ...draft, chosen: chosen.path, logo: chosen.path.replace(/^.*[/\\]/, '') });
        })}
      >
        Choose…
      </SmallButton>
      {draft.logo === null ? null : (
        <SmallButton variant="subtle" onClick={() => onChange({ ...draft, chosen: null, logo: null })}>
          Remove
        </SmallButton>
      )}
    </Group>
  );
}

function SectionsField({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  return (
    <Checkbox.Group
      label="Sections"
      description="Logo and sections are kept for every further report. The first page, problems and warnings are always there."
      value={reportSections.filter((section) => !draft.without.includes(section))}
      onChange={(kept) =>
        onChange({ ...draft, without: reportSections.filter((section) => !kept.includes(section)) })
      }
    >
      <Group gap="sm" mt="xs">
        {reportSections.map((section) => (
          <Checkbox key={section} size="xs" value={section} label={sectionTitles[section]} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

export function ReportDialog({
  runId,
  settings,
  onClose,
}: {
  runId: string;
  settings: ReportSettings;
  onClose: () => void;
}) {
  const { client } = useWorkbench();
  const [draft, setDraft] = useState<Draft>({ ...settings, chosen: undefined });
  const [busy, working] = useWork();
  const write = working(async () => {
    await client.call('runs.report', { runId, change: changeOf(draft) });
    noticeDone('Reports written', 'HTML, PDF and Markdown have the new title, notes, logo and sections.');
    onClose();
  });
  return (
    <Modal opened onClose={onClose} size="lg" title="Title, logo and sections of the reports">
      <Stack gap="sm">
        <TextInput
          label="Title"
          placeholder="Model, format and precision"
          description="Of this run"
          maxLength={titleSchema.maxLength ?? undefined}
          value={draft.title}
          onChange={({ currentTarget }) => setDraft({ ...draft, title: currentTarget.value })}
        />
        <Textarea
          label="Notes"
          description="Of this run; below the verdict, or on the second page where they are long"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={notesSchema.maxLength ?? undefined}
          value={draft.notes}
          onChange={({ currentTarget }) => setDraft({ ...draft, notes: currentTarget.value })}
        />
        <LogoField draft={draft} onChange={setDraft} />
        <SectionsField draft={draft} onChange={setDraft} />
        <Group justify="flex-end" gap="xs">
          <SmallButton onClick={onClose}>Cancel</SmallButton>
          <SmallButton variant="filled" loading={busy} onClick={write}>
            Write reports
          </SmallButton>
        </Group>
      </Stack>
    </Modal>
  );
}
