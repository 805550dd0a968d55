import { Button } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { type ModelSource, sourceKinds } from '../../../../main/contract/run/run-spec';
import { firstPreset } from '../../../stores/draft/draft-state';
import { useWorkbench } from '../../../workbench';
import { useWizard } from '../wizard-context';

const kindText: Readonly<Record<ModelSource['kind'], string>> = {
  folder: 'Folder with model code',
  onnx: 'ONNX file',
  torchscript: 'TorchScript file',
  savedmodel: 'SavedModel folder',
};

/** The model that is chosen, with its tensors and the way back to a preset. */
export function OwnModelInUse({ path }: { path: string }) {
  const { draft, preset, valueAt } = useWizard();
  const { presets } = useWorkbench();
  const list = useStore(presets, (state) => state.value) ?? [];
  // The one that starting over takes too.
  const first = list.find(({ id }) => id === firstPreset) ?? list[0];
  const kind = sourceKinds.find((known) => known === valueAt(['model', 'source', 'kind']));
  const card = useRef<HTMLDivElement>(null);
  // The button that chose it may be far below, and the presets that it replaces lie between.
  useEffect(() => {
    card.current?.scrollIntoView({ block: 'nearest' });
  }, [path]);
  return (
    <div ref={card} className="own-model" role="status">
      <IconCircleCheck size={18} className="tone-info" aria-hidden="true" />
      <div className="own-model-text">
        <strong>{preset.title}</strong>{' '}
        <span className="dim">In use · {kind === undefined ? 'Model' : kindText[kind]}</span>
        <div className="mono own-model-path">{path}</div>
      </div>
      {first === undefined ? null : (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          onClick={() => {
            draft.choosePreset(first.id, first.title);
          }}
        >
          Use a preset instead
        </Button>
      )}
    </div>
  );
}
