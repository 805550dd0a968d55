import { useEffect, useState } from 'react';
import { useWorkbench } from '../../workbench';
import type { DropUse } from './drop';
import { dropUse } from './drop';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

/** A file or folder dragged over the window; true while one is. */
export function useDrop(
  onDrop: (use: DropUse, file: File, path: string) => void,
  hasModelFile: boolean,
): boolean {
  const { client } = useWorkbench();
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
      // Where a model is asked for, a file that could be weights as well is one.
      const onModel = event.target instanceof Element && event.target.closest('[data-drop="model"]') !== null;
      onDrop(onModel ? 'model' : dropUse(file.name, isFolder, hasModelFile), file, client.pathOf(file));
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
  }, [client, onDrop, hasModelFile]);
  return over;
}
