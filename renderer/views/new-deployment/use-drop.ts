import { useCallback, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { attempt } from '../../components/notices';
import { firstPreset, hasModelFile } from '../../stores/draft/draft-state';
import { useWorkbench } from '../../workbench';
import { type DropUse, dropUse } from './drop';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

/**
 * Takes a file or folder that is dropped anywhere on the window; true while one is dragged over it.
 * @param onTaken the draft has it, or asks on the Model page what it needs to know
 * @param asNew it begins a draft of its own
 */
export function useDrop(onTaken: (use: DropUse, isTaken: boolean) => void, asNew = false): boolean {
  const { client, draft, ownModel } = useWorkbench();
  const modelFile = useStore(draft, ({ overrides }) => !asNew && hasModelFile(overrides));
  const onDrop = useCallback(
    (use: DropUse, file: File): void => {
      const { change, importText, startNew } = draft.getState();
      attempt(async () => {
        if (use === 'import') await importText(file.name, await file.text(), { asNew });
        else if (use !== 'model') {
          if (asNew) startNew(firstPreset);
          change(['model', use], client.pathOf(file));
        }
        const isTaken = use !== 'model' || (await ownModel.getState().open(client.pathOf(file), asNew));
        onTaken(use, isTaken);
      });
    },
    [client, draft, ownModel, onTaken, asNew],
  );
  const [over, setOver] = useState(false);
  useEffect(() => {
    // Every element that the pointer passes enters and leaves; the window is left when all are.
    let depth = 0;
    const count = (event: DragEvent, by: 1 | -1): void => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth + by);
      setOver(depth > 0);
    };
    const enter = (event: DragEvent): void => {
      count(event, 1);
    };
    const leave = (event: DragEvent): void => {
      count(event, -1);
    };
    const hover = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      depth = 0;
      setOver(false);
      const item = event.dataTransfer?.items[0];
      const file = item?.getAsFile() ?? null;
      if (item === undefined || file === null) return;
      event.preventDefault();
      const isFolder = item.webkitGetAsEntry()?.isDirectory === true;
      // Where a model is asked for, what could be weights or data as well is one.
      const onModel = event.target instanceof Element && event.target.closest('[data-drop="model"]') !== null;
      const use = dropUse(file.name, isFolder, modelFile);
      onDrop(onModel && use !== 'import' ? 'model' : use, file);
    };
    const listeners = [
      ['dragenter', enter],
      ['dragleave', leave],
      ['dragover', hover],
      ['drop', drop],
    ] as const;
    for (const [name, listener] of listeners) window.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of listeners) window.removeEventListener(name, listener);
    };
  }, [onDrop, modelFile]);
  return over;
}
