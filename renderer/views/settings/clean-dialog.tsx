import { Button, Checkbox, Modal } from '@mantine/core';
import { useState } from 'react';
import type { CallOutput } from '../../../main/contract/api';
import type { ImageInfo } from '../../../main/contract/docker';
import { formatBytes } from '../../../main/contract/numbers';
import { cacheSize } from '../../../main/contract/settings/storage';
import { noticeDone } from '../../components/notices';
import { formatWhen } from '../../format/times';
import { onTick } from '../../handlers';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';

export interface CleanChoice {
  readonly plan: CallOutput<'home.planClean'>;
  readonly images: readonly ImageInfo[];
}

const imageName = ({ use, tags, digests, id }: ImageInfo): string =>
  tags[0] ?? digests[0] ?? `${use === 'build' ? 'build layers ' : ''}${id.slice(7, 19)}`;

/** Checkboxes of one kind, and the keys of those that are ticked. */
function useTicks(): readonly [readonly string[], (key: string) => (ticked: boolean) => void] {
  const [keys, setKeys] = useState<readonly string[]>([]);
  return [keys, (key) => (ticked) => setKeys(ticked ? [...keys, key] : keys.filter((one) => one !== key))];
}

interface Ticks {
  readonly ticked: readonly string[];
  readonly tick: (key: string) => (ticked: boolean) => void;
}

function RunBoxes({ runs, ticked, tick }: Ticks & { runs: CleanChoice['plan']['runs'] }) {
  if (runs.length === 0) return null;
  return (
    <details>
      <summary>{runs.length === 1 ? '1 run' : `${runs.length} runs, largest first`}</summary>
      <div className="clean-runs stack" tabIndex={0} role="group" aria-label="Runs to delete">
        {runs.map(({ runId, name, createdAt, bytes }) => (
          <Checkbox
            key={runId}
            label={`${name ?? runId}: ${formatBytes(bytes)}`}
            description={`Created ${formatWhen(createdAt)}. It cannot be restored afterwards.`}
            checked={ticked.includes(runId)}
            onChange={onTick(tick(runId))}
          />
        ))}
      </div>
    </details>
  );
}

function ImageBoxes({ images, ticked, tick }: Ticks & { images: readonly ImageInfo[] }) {
  return images.map((image) => (
    <Checkbox
      key={image.id}
      label={`Image ${imageName(image)}: ${formatBytes(image.sizeBytes)}`}
      description={
        image.use === 'build'
          ? 'Left by a build. The next build of that image creates it again.'
          : 'Not used by a container. Later runs build or pull it again.'
      }
      checked={ticked.includes(image.id)}
      onChange={onTick(tick(image.id))}
    />
  ));
}

/** Images share layers: only the engine knows what is freed. */
export function freedText(freedBytes: number, imageBytes: number): string {
  const images = imageBytes === 0 ? null : `up to ${formatBytes(imageBytes)} of images`;
  if (freedBytes > 0) {
    return `Freed ${[formatBytes(freedBytes), images].filter((part) => part !== null).join(' and ')}.`;
  }
  return images === null ? 'No space was freed: runs still use the same files.' : `Freed ${images}.`;
}

function CleanForm({ choice, onDone }: { choice: CleanChoice; onDone: (cleaned: boolean) => void }) {
  const { client, runs: list } = useWorkbench();
  const { plan, images } = choice;
  const [cache, setCache] = useState(false);
  const [trash, setTrash] = useState(false);
  const [runIds, tickRun] = useTicks();
  const [imageIds, tickImage] = useTicks();
  const [busy, working] = useWork();
  const ofImages = images
    .filter(({ id }) => imageIds.includes(id))
    .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const ofRuns = plan.runs
    .filter(({ runId }) => runIds.includes(runId))
    .reduce((sum, run) => sum + run.bytes, 0);
  const bytes = (cache ? plan.cache.bytes : 0) + (trash ? plan.trash.bytes : 0) + ofRuns + ofImages;
  const ofHome = cache || trash || runIds.length > 0;
  const clean = working(async () => {
    const { freedBytes } = ofHome
      ? await client.call('home.clean', { cache, trash, runIds: [...runIds] })
      : { freedBytes: 0 };
    for (const id of imageIds) await client.call('docker.removeImage', { id });
    if (runIds.length > 0) await list.getState().load();
    noticeDone('Cleaned up', freedText(freedBytes, ofImages));
    onDone(true);
  });
  return (
    <div className="stack">
      <Checkbox
        data-autofocus
        label={`Cache: ${cacheSize(plan.cache)}`}
        description="Exported and converted models, and pipelines that no run uses. Later runs create them again."
        checked={cache}
        onChange={onTick(setCache)}
      />
      <Checkbox
        label={`Trash: ${plan.trash.runs} ${plan.trash.runs === 1 ? 'run' : 'runs'}, ${formatBytes(plan.trash.bytes)}`}
        description="Deleted runs. They cannot be restored afterwards."
        checked={trash}
        onChange={onTick(setTrash)}
      />
      <RunBoxes runs={plan.runs} ticked={runIds} tick={tickRun} />
      <ImageBoxes images={images} ticked={imageIds} tick={tickImage} />
      <p className="dim">
        Cleaning the cache, the trash or runs also stops processes and removes containers that crashed
        sessions left behind, including containers that wait for an interrupted run to be resumed.
      </p>
      <div className="buttons">
        <Button variant="default" onClick={() => onDone(false)}>
          Cancel
        </Button>
        <Button
          className="danger-button"
          loading={busy}
          disabled={!ofHome && imageIds.length === 0}
          onClick={clean}
        >
          {bytes === 0 ? 'Remove' : `Remove ${formatBytes(bytes)}`}
        </Button>
      </div>
    </div>
  );
}

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
