import { SegmentedControl, TextInput } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { IconButton } from '../../../components/actions';
import { attempting } from '../../../components/notices';
import { onText } from '../../../handlers';
import { useWorkbench } from '../../../workbench';
import { CheckedAddress } from '../search/checked-address';
import type { TargetKind, UpgradeText } from './upgrade-request';

interface TargetProps {
  text: UpgradeText;
  onChange: (change: Partial<UpgradeText>) => void;
}

const labels: Readonly<Record<TargetKind, string>> = {
  release: 'NVIDIA release',
  image: 'Image',
  folder: 'Folder',
};
const help: Readonly<Record<TargetKind, string>> = {
  release: 'A monthly release of NVIDIA’s Triton images. It is pulled when the comparison starts.',
  image: 'Another Triton image. Its programs are executed: you are asked once.',
  folder:
    'A workbench home, an installation with bin/tritonserver and backends, or a Python environment. Its programs are executed: you are asked once.',
};

/** A folder that is chosen is asked for at once. */
function FolderField({ text, onChange }: TargetProps) {
  const { client } = useWorkbench();
  const title = 'Choose the folder of a serving environment';
  const choose = async (): Promise<void> => {
    const chosen = await client.call('desktop.choosePath', { kind: 'folder', title });
    if (chosen !== null) onChange({ folder: chosen.path, times: text.times + 1 });
  };
  return (
    <TextInput
      label="Folder of the serving environment"
      readOnly
      placeholder="Choose a folder"
      value={text.folder}
      rightSection={<IconButton icon={IconFolder} label={title} onClick={attempting(choose)} />}
    />
  );
}

/** An image that is typed to its end is asked for by Enter or the button. */
function ImageField({ text, isAsking, onChange }: TargetProps & { isAsking: boolean }) {
  const isChecked = text.asked !== null && text.asked === text.image.trim();
  return (
    <CheckedAddress
      label="Triton image"
      url={text.image}
      isChecked={isChecked}
      isAsking={isChecked && isAsking}
      error={null}
      onChange={(image) => onChange({ image })}
      onCheck={() => {
        const image = text.image.trim();
        if (image !== '') onChange({ asked: image, times: text.times + 1 });
      }}
    />
  );
}

/** What it may move to. @param props.offered those that the engine of the subject can be replaced with */
export function UpgradeTargetFields(
  props: TargetProps & { offered: readonly TargetKind[]; isAsking: boolean },
) {
  const { text, offered, onChange } = props;
  const { target } = text;
  return (
    <>
      {offered.length < 2 ? null : (
        <SegmentedControl
          aria-label="Serving environment"
          data={offered.map((value) => ({ value, label: labels[value] }))}
          value={target}
          onChange={(value) => onChange({ target: offered.find((one) => one === value) ?? target })}
        />
      )}
      <p className="dim">{help[target]}</p>
      {target === 'release' ? (
        <TextInput
          label="Release"
          placeholder="26.07"
          maxLength={5}
          value={text.release}
          onChange={onText((release) => onChange({ release }))}
        />
      ) : null}
      {target === 'image' ? <ImageField {...props} /> : null}
      {target === 'folder' ? <FolderField text={text} onChange={onChange} /> : null}
    </>
  );
}
