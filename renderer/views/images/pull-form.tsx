import { TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { imageReferenceSchema } from '../../../main/contract/docker';
import { SmallButton } from '../../components/actions';
import { onText } from '../../handlers';
import { onSubmit } from '../../use-form-work';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';

/** Fetches an image by name and tag, or by digest. */
export function PullForm({ connected }: { connected: boolean }) {
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
