import { useEffect, useEffectEvent, useState } from 'react';
import { attempt } from '../../components/notices';
import { firstPreset, hasModelFile } from '../../stores/draft/draft-state';
import { useWorkbench } from '../../workbench';

type DropUse = 'import' | 'model' | 'checkpoint' | 'dataset';

const samples = /\.(npz|json)$/i;

/**
 * Use of a dropped path: a folder is a data set (a SavedModel by its usual name a model), a configuration is imported,
 * an ONNX file is a model, any other file is weights, or samples for an own model file.
 */
export function dropUse(name: string, isFolder: boolean, hasOwnFile = false): DropUse {
  if (isFolder) return /^saved_?model$|\.savedmodel$/i.test(name) ? 'model' : 'dataset';
  // A .pt file may be weights as well: as a model it is chosen by its button.
  if (/\.(onnx|torchscript)$/i.test(name)) return 'model';
  if (hasOwnFile && samples.test(name)) return 'dataset';
  return /\.(ya?ml|pbtxt|env|sh)$|^(\.env|environment|config\.pbtxt)/i.test(name) ? 'import' : 'checkpoint';
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

/**
 * True while something is dragged over the window.
 * @param onTaken the draft has it, or the Model page asks what it needs to know
 * @param asNew begins a new draft
 */
export function useDrop(onTaken: (use: DropUse, isTaken: boolean) => void, asNew = false): boolean {
  const { client, draft, ownModel } = useWorkbench();
  const [over, setOver] = useState(false);
  const take = async (use: DropUse, file: File): Promise<void> => {
    const { change, importText, startNew } = draft.getState();
    if (use === 'import') await importText(file.name, await file.text(), { asNew });
    else if (use !== 'model') {
      if (asNew) startNew(firstPreset);
      change(['model', use], client.pathOf(file));
    }
    const isTaken = use !== 'model' || (await ownModel.getState().open(client.pathOf(file), asNew));
    onTaken(use, isTaken);
  };
  const dropped = useEffectEvent((event: DragEvent): void => {
    const item = event.dataTransfer?.items[0];
    const file = item?.getAsFile() ?? null;
    if (item === undefined || file === null) return;
    event.preventDefault();
    const isFolder = item.webkitGetAsEntry()?.isDirectory === true;
    // Where a model is asked for, a file that could also be weights or data is a model.
    const onModel = event.target instanceof Element && event.target.closest('[data-drop="model"]') !== null;
    const use = dropUse(file.name, isFolder, !asNew && hasModelFile(draft.getState().overrides));
    attempt(() => take(onModel && use !== 'import' ? 'model' : use, file));
  });
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    // Every element that the pointer passes enters and leaves; the window is left when all are.
    let depth = 0;
    const count = (by: 1 | -1) => (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth + by);
      setOver(depth > 0);
    };
    const hover = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      depth = 0;
      setOver(false);
      dropped(event);
    };
    window.addEventListener('dragenter', count(1), { signal });
    window.addEventListener('dragleave', count(-1), { signal });
    window.addEventListener('dragover', hover, { signal });
    window.addEventListener('drop', drop, { signal });
    return () => ended.abort();
  }, []);
  return over;
}

export function DropHint() {
  return (
    <div className="drop-hint" aria-hidden="true">
      <p>
        Drop a <strong>model of your own (.onnx)</strong>, a <strong>file of weights</strong>, a{' '}
        <strong>folder with a data set</strong>, or a{' '}
        <strong>run.yaml, runner configuration, environment file or config.pbtxt</strong>
      </p>
    </div>
  );
}
