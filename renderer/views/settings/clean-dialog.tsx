import { Button, Checkbox, Modal } from '@mantine/core';
import { useState } from 'react';
import type { CallOutput } from '../../../main/contract/api';
import type { ImageInfo } from '../../../main/contract/docker';
import { formatBytes } from '../../../main/contract/numbers';
import { noticeDone } from '../../components/notices';
import { onTick } from '../../handlers';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';

export interface CleanChoice {
  readonly plan: CallOutput<'home.planClean'>;
  /** Images of the workbench that no container uses. */
  readonly images: readonly ImageInfo[];
}

const imageName = ({ tags, digests, id }: ImageInfo): string => tags[0] ?? digests[0] ?? id.slice(7, 19);

function CleanForm({ choice, onDone }: { choice: CleanChoice; onDone: (cleaned: boolean) => void }) {
  const { client } = useWorkbench();
  const { plan, images } = choice;
  const [cache, setCache] = useState(false);
  const [trash, setTrash] = useState(false);
  const [imageIds, setImageIds] = useState<readonly string[]>([]);
  const [busy, working] = useWork();
  const bytes =
    (cache ? plan.cacheBytes : 0) +
    (trash ? plan.trashBytes : 0) +
    images.filter(({ id }) => imageIds.includes(id)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const clean = working(async () => {
    if (cache || trash) await client.call('home.clean', { cache, trash });
    for (const id of imageIds) await client.call('docker.removeImage', { id });
    noticeDone('Cleaned up', `Up to ${formatBytes(bytes)} are free again.`);
    onDone(true);
  });
  return (
    <div className="stack">
      <Checkbox
        data-autofocus
        label={`Cache: ${formatBytes(plan.cacheBytes)}`}
        description="Exported and converted models. Later runs make them again."
        checked={cache}
        onChange={onTick(setCache)}
      />
      <Checkbox
        label={`Trash: ${plan.trashRuns} ${plan.trashRuns === 1 ? 'run' : 'runs'}, ${formatBytes(plan.trashBytes)}`}
        description="Deleted runs. They cannot be restored afterwards."
        checked={trash}
        onChange={onTick(setTrash)}
      />
      {images.map((image) => (
        <Checkbox
          key={image.id}
          label={`Image ${imageName(image)}: ${formatBytes(image.sizeBytes)}`}
          description="Not used by a container. Later runs build or pull it again."
          checked={imageIds.includes(image.id)}
          onChange={onTick((checked) =>
            setImageIds(checked ? [...imageIds, image.id] : imageIds.filter((id) => id !== image.id)),
          )}
        />
      ))}
      <p className="dim">
        Cleaning the cache or the trash also stops processes and removes containers that crashed sessions left
        behind, including containers that wait for an interrupted run to be resumed.
      </p>
      <div className="buttons">
        <Button variant="default" onClick={() => onDone(false)}>
          Cancel
        </Button>
        <Button
          className="danger-button"
          loading={busy}
          disabled={!cache && !trash && imageIds.length === 0}
          onClick={clean}
        >
          {bytes === 0 ? 'Remove' : `Remove ${formatBytes(bytes)}`}
        </Button>
      </div>
    </div>
  );
}

/** What can be removed, each with its size; nothing is chosen beforehand. */
export function CleanDialog({
  choice,
  onDone,
}: {
  choice: CleanChoice | null;
  onDone: (cleaned: boolean) => void;
}) {
  return (
    <Modal opened={choice !== null} onClose={() => onDone(false)} size={560} title="Clean up">
      {choice === null ? null : <CleanForm choice={choice} onDone={onDone} />}
    </Modal>
  );
}
