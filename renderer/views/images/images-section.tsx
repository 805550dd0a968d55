import { TextInput } from '@mantine/core';
import { IconDownload, IconHammer } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import {
  type BuiltImage,
  builtImages,
  type DockerState,
  type ImageInfo,
  imageReferenceSchema,
} from '../../../main/contract/docker';
import { SmallButton } from '../../components/actions';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { attempting } from '../../components/notices';
import { Panel } from '../../components/panel';
import { numeric, TableHead } from '../../components/table';
import { onText } from '../../handlers';
import { onSubmit } from '../../use-form-work';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { ImageRow } from './image-row';
import { builtText, sortImages } from './image-text';
import { LoginForm } from './login-form';
import { WorkList } from './work-list';

function PullForm({ connected }: { connected: boolean }) {
  const { client } = useWorkbench();
  const [reference, setReference] = useState('');
  const [asking, working] = useWork();
  const wanted = reference.trim();
  const readable = imageReferenceSchema.safeParse(wanted).success;
  const pull = working(async () => {
    await client.call('docker.pullImage', { reference: wanted });
    setReference('');
  });
  return (
    <form
      className="pull-form"
      onSubmit={onSubmit(() => {
        if (readable && connected && !asking) pull();
      })}
    >
      <TextInput
        size="xs"
        label="Image"
        placeholder="nvcr.io/nvidia/tritonserver:26.07-py3"
        description="Use a digest (name@sha256:…) to pin the image."
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        error={wanted === '' || readable ? undefined : 'Not an image reference, as name:tag or name@sha256:…'}
        value={reference}
        onChange={onText(setReference)}
      />
      <SmallButton
        variant="filled"
        icon={IconDownload}
        type="submit"
        loading={asking}
        disabled={!readable || !connected}
      >
        Pull
      </SmallButton>
    </form>
  );
}

function BuildList({ connected }: { connected: boolean }) {
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
    <ul className="column build-list">
      {builtImages.map((image) => (
        <li key={image} className="row">
          <div>
            <div>{builtText[image].title}</div>
            <div className="second-line">{builtText[image].what}</div>
          </div>
          <SmallButton
            icon={IconHammer}
            disabled={!connected}
            loading={asking === image}
            aria-label={`Build ${builtText[image].title}`}
            onClick={attempting(() => build(image))}
          >
            Build
          </SmallButton>
        </li>
      ))}
    </ul>
  );
}

const headings = [
  'Image',
  { title: 'Use', width: 80 },
  numeric('Size', undefined, 96),
  numeric('Created', undefined, 120),
  { title: 'Digest', width: 150 },
  numeric('Containers', undefined, 96),
  { title: 'Actions', hidden: true, width: 110 },
];

function ImageTable({ images, connected }: { images: readonly ImageInfo[]; connected: boolean }) {
  return (
    <table className="table images-table">
      <TableHead headings={headings} />
      <tbody>
        {sortImages(images).map((image) => (
          <ImageRow key={image.id} image={image} connected={connected} />
        ))}
      </tbody>
    </table>
  );
}

function Images({ connected }: { connected: boolean }) {
  const { images } = useWorkbench();
  const { value, error } = useStore(images);
  if (value === null) {
    if (!connected) return <p className="empty">Images appear here once Docker is reachable.</p>;
    return error === null ? <Loading label="Loading the images" /> : <ErrorPanel error={error} />;
  }
  const own = value.filter((image) => image.use !== null);
  const others = value.filter((image) => image.use === null);
  return (
    <>
      {error === null || !connected ? null : <ErrorPanel error={error} />}
      <Panel title="Triton and client images" label="Images of the workbench">
        {own.length === 0 ? (
          <div className="empty">
            <p>
              The images that a deployment needs are not on this machine. Without a GPU, build the two CPU
              images. With a GPU, pull NVIDIA’s Triton image and build the GPU client.
            </p>
          </div>
        ) : (
          <ImageTable images={own} connected={connected} />
        )}
      </Panel>
      {others.length === 0 ? null : (
        <details className="panel other-images">
          <summary>
            {others.length === 1 ? '1 image of another program' : `${others.length} images of other programs`}
          </summary>
          <ImageTable images={others} connected={connected} />
        </details>
      )}
    </>
  );
}

export function ImagesSection({ state }: { state: DockerState }) {
  const { images, imageWorks } = useWorkbench();
  const connected = state.connection === 'connected';
  const used = state.containers.map((container) => container.id + container.state).join(' ');
  useEffect(() => {
    if (connected) void images.getState().load();
  }, [images, connected, used]);
  useEffect(() => void imageWorks.getState().load(), [imageWorks]);
  return (
    <div className="images stack" role="region" aria-label="Images" tabIndex={0}>
      <div className="cards">
        <Panel title="Pull an image">
          <div className="panel-body stack">
            <PullForm connected={connected} />
            <LoginForm />
          </div>
        </Panel>
        <Panel title="Build an image">
          <div className="panel-body">
            <BuildList connected={connected} />
          </div>
        </Panel>
      </div>
      <WorkList />
      <Images connected={connected} />
    </div>
  );
}
