import { TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { RunSummary } from '../../../main/contract/api';
import { CompactButton } from '../../components/actions';
import { onText } from '../../handlers';
import { onSubmit } from '../../use-form-work';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';

/** Tags and note of a run, below its row. Enter saves, Escape cancels. */
export function AnnotationForm(props: { run: RunSummary; knownTags: readonly string[]; onDone: () => void }) {
  const { run, onDone } = props;
  const { client, runs } = useWorkbench();
  const [tags, setTags] = useState<string[]>([...run.tags]);
  const [note, setNote] = useState(run.note);
  const [busy, working] = useWork();
  const save = working(async () => {
    await client.call('runs.annotate', { runId: run.runId, tags, note: note.trim() });
    await runs.getState().load();
    onDone();
  });
  return (
    <form
      className="annotation"
      aria-label={`Tags and note of ${run.runId}`}
      onSubmit={onSubmit(save)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone();
      }}
    >
      <TagsInput
        size="xs"
        label="Tags"
        placeholder={tags.length === 0 ? 'Enter adds a tag' : ''}
        data={[...props.knownTags]}
        value={tags}
        maxTags={20}
        onChange={(next) => {
          setTags(next.map((tag) => tag.trim().slice(0, 40)).filter((tag) => tag !== ''));
        }}
        autoFocus
        w={300}
      />
      <TextInput size="xs" label="Note" maxLength={10_000} value={note} onChange={onText(setNote)} flex={1} />
      <CompactButton onClick={onDone}>Cancel</CompactButton>
      <CompactButton variant="filled" type="submit" loading={busy}>
        Save
      </CompactButton>
    </form>
  );
}
