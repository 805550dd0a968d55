import { Button } from '@mantine/core';
import { IconHammer } from '@tabler/icons-react';
import { useState } from 'react';
import type { BuiltImage } from '../../../main/contract/docker';
import { builtImages } from '../../../main/contract/docker';
import { attempt } from '../../components/notices';
import { useWorkbench } from '../../workbench';
import { builtText } from './image-text';

/** Images that the workbench builds itself. */
export function BuildList({ connected }: { connected: boolean }) {
  const { client } = useWorkbench();
  const [asking, setAsking] = useState<BuiltImage | null>(null);
  const build = async (image: BuiltImage): Promise<void> => {
    setAsking(image);
    try {
      await client.call('docker.buildImage', { image });
    } finally {
      setAsking(null);
    }
  };
  return (
    <ul className="build-list">
      {builtImages.map((image) => (
        <li key={image}>
          <div>
            <div>{builtText[image].title}</div>
            <div className="second-line">{builtText[image].what}</div>
          </div>
          <Button
            size="xs"
            variant="default"
            disabled={!connected}
            loading={asking === image}
            leftSection={<IconHammer size={14} aria-hidden="true" />}
            aria-label={`Build ${builtText[image].title}`}
            onClick={() => {
              attempt(() => build(image));
            }}
          >
            Build
          </Button>
        </li>
      ))}
    </ul>
  );
}
