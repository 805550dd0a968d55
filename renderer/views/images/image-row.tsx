import { IconTrash } from '@tabler/icons-react';
import type { ImageInfo } from '../../../main/contract/docker';
import { formatBytes, formatCount } from '../../../main/contract/numbers';
import { IconAction } from '../../components/actions';
import { AskFirst } from '../../components/confirm-in-place';
import { CopyButton } from '../../components/copy-button';
import { formatWhen, formatWhenFully } from '../../format/times';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { digestOf, useText, whyKept } from './image-text';

export function ImageRow({ image, connected }: { image: ImageInfo; connected: boolean }) {
  const { client, images } = useWorkbench();
  const [removing, working] = useWork();
  const digest = digestOf(image);
  const name = image.tags[0] ?? digest.short;
  // Also what a narrow table leaves out.
  const hover = `Created ${formatWhenFully(image.createdAt)}\n${digest.full}`;
  const remove = working(async () => {
    try {
      await client.call('docker.removeImage', { id: image.id });
    } finally {
      await images.getState().load();
    }
  });
  return (
    <tr data-image={image.id}>
      <td>
        {image.tags.length === 0 ? (
          <span className="dim">{image.use === 'build' ? 'Layers of a build' : 'No tag'}</span>
        ) : (
          image.tags.map((tag) => (
            <div key={tag} title={hover}>
              {tag}
            </div>
          ))
        )}
      </td>
      <td>{image.use === null ? <span className="dim">–</span> : useText[image.use]}</td>
      <td className="number">{formatBytes(image.sizeBytes)}</td>
      <td className="number" title={formatWhenFully(image.createdAt)}>
        {formatWhen(image.createdAt)}
      </td>
      <td>
        <span className="digest">
          <span className="mono" title={digest.full}>
            {digest.short}
          </span>
          <CopyButton text={digest.full} label={`Copy digest of ${name}`} />
        </span>
      </td>
      <td className="number">{formatCount(image.containerCount)}</td>
      <td className="actions-cell">
        {image.use === null ? (
          <span className="dim">Only listed</span>
        ) : (
          <AskFirst
            question={`Remove ${name} (${formatBytes(image.sizeBytes)})?`}
            action="Remove"
            onConfirm={remove}
          >
            {(ask) => (
              <IconAction
                icon={IconTrash}
                label={`Remove ${name}`}
                why={whyKept(image, connected)}
                busy={removing}
                onClick={ask}
              />
            )}
          </AskFirst>
        )}
      </td>
    </tr>
  );
}
