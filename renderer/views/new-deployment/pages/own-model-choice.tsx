import { Button, TextInput } from '@mantine/core';
import { useStore } from 'zustand';
import { ErrorPanel } from '../../../components/error-panel';
import { attempt, attempting } from '../../../components/notices';
import type { OwnModel } from '../../../stores/draft/own-model';
import { useWorkbench } from '../../../workbench';

const listed = 12;

interface Asked {
  readonly model: OwnModel;
  readonly asNew: boolean;
  readonly onTaken: () => void;
}

/** What would be executed, and the question whether it may be. */
function TrustNotice({ model, asNew, onTaken }: Asked) {
  const { opened, trust, busy } = model;
  if (opened === null || opened.trusted || opened.code.length === 0) return null;
  const more = opened.code.length - listed;
  const open = opened.asked.some(({ name, shape }) => shape === null && (model.shapes[name] ?? '') === '');
  return (
    <div className="section-note" role="group" aria-label="Trust this code">
      <p>
        <strong>A run executes the code of this model with your permissions.</strong> None of it has been
        executed yet. Trust it only if you know its origin. You are asked again when a file changes.
      </p>
      <ul className="mono">
        {opened.code.slice(0, listed).map(({ path }) => (
          <li key={path}>{path}</li>
        ))}
        {more > 0 ? <li>and {more} more</li> : null}
      </ul>
      <Button
        size="xs"
        loading={busy}
        disabled={open}
        onClick={attempting(async () => {
          if (await trust(asNew)) onTaken();
        })}
      >
        Trust and use
      </Button>
    </div>
  );
}

/** Shapes that the file does not say. */
function AskedShapes({ model, asNew, onTaken }: Asked) {
  const { opened, shapes, setShape, retry, busy } = model;
  if (opened === null || opened.asked.length === 0) return null;
  return (
    <div className="add-argument" role="group" aria-label="Shapes of the inputs">
      {opened.asked.map(({ name, shape }) => (
        <TextInput
          key={name}
          size="xs"
          label={`Shape of ${name}`}
          placeholder="1, 3, 224, 224"
          value={shapes[name] ?? shape?.join(', ') ?? ''}
          onChange={(event) => {
            setShape(name, event.currentTarget.value);
          }}
        />
      ))}
      {opened.trusted ? (
        <Button
          size="xs"
          variant="default"
          loading={busy}
          onClick={attempting(async () => {
            if (await retry(asNew)) onTaken();
          })}
        >
          Use these shapes
        </Button>
      ) : null}
    </div>
  );
}

/**
 * Takes a model of the engineer's own: a file or a folder, read without executing it.
 * @param inUse path of the own model that the draft has; null: none, or none that matters here
 * @param asNew it begins a draft of its own
 * @param onTaken the draft has it: nothing has to be trusted or said any more
 */
export function OwnModelChoice({
  inUse,
  asNew = false,
  onTaken,
}: {
  inUse: string | null;
  asNew?: boolean;
  onTaken: () => void;
}) {
  const { client, ownModel } = useWorkbench();
  const model = useStore(ownModel);
  // Of one that is laid aside nothing is asked any more.
  const { opened } = model;
  const isShown = opened !== null && (opened.path === inUse || opened.choice === null || !opened.trusted);
  const choose = (kind: 'file' | 'folder') => {
    attempt(async () => {
      const title = kind === 'file' ? 'Choose a model file' : 'Choose a model folder';
      const chosen = await client.call('desktop.choosePath', { kind, title });
      if (chosen !== null && (await model.open(chosen.path, asNew))) onTaken();
    });
  };
  return (
    <>
      <div className="drop-zone" data-drop="model">
        <span>
          {inUse === null
            ? 'Drop a model file or folder here, or'
            : 'To replace it, drop another model here, or'}
        </span>
        <Button
          size="xs"
          variant="default"
          loading={model.busy}
          onClick={() => {
            choose('file');
          }}
        >
          Choose a file…
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={model.busy}
          onClick={() => {
            choose('folder');
          }}
        >
          Choose a folder…
        </Button>
      </div>
      <p className="field-help">
        An ONNX or TorchScript file, a SavedModel folder, a folder with model.py, or a model of a Triton
        repository. Reading it executes nothing.
      </p>
      {model.error === null ? null : <ErrorPanel error={model.error} />}
      {isShown ? (
        <div role="status">
          {opened.path === inUse ? null : <p className="mono own-model-path">{opened.path}</p>}
          {opened.notes.map((note) => (
            <p key={note} className="field-help">
              {note}
            </p>
          ))}
        </div>
      ) : null}
      {isShown ? <AskedShapes model={model} asNew={asNew} onTaken={onTaken} /> : null}
      {isShown ? <TrustNotice model={model} asNew={asNew} onTaken={onTaken} /> : null}
    </>
  );
}
