import { Button, TextInput } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { type ModelSource, sourceKinds } from '../../../../main/contract/run/run-spec';
import { ErrorPanel } from '../../../components/error-panel';
import { attempt } from '../../../components/notices';
import type { OwnModel } from '../../../stores/draft/own-model';
import { useWorkbench } from '../../../workbench';
import { useWizard } from '../wizard-context';
import { TensorTable } from './signature-table';

const listed = 12;

/** What would be executed, and the question whether it may be. */
function TrustNotice({ model }: { model: OwnModel }) {
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
        onClick={() => {
          attempt(trust);
        }}
      >
        Trust and use
      </Button>
    </div>
  );
}

/** Shapes that the file does not say. */
function AskedShapes({ model }: { model: OwnModel }) {
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
          onClick={() => {
            attempt(retry);
          }}
        >
          Use these shapes
        </Button>
      ) : null}
    </div>
  );
}

const kindText: Readonly<Record<ModelSource['kind'], string>> = {
  folder: 'Folder with model code',
  onnx: 'ONNX file',
  torchscript: 'TorchScript file',
  savedmodel: 'SavedModel folder',
};

/** The model that is chosen, with its tensors and the way back to a preset. */
function InUse({ path }: { path: string }) {
  const { draft, preset, valueAt } = useWizard();
  const { presets } = useWorkbench();
  const [first] = useStore(presets, (state) => state.value) ?? [];
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
            draft.choosePreset(first.id);
          }}
        >
          Use a preset instead
        </Button>
      )}
    </div>
  );
}

/** A model of the engineer's own, before the presets: a file or a folder, read without executing it. */
export function OwnModelPanel() {
  const { client, ownModel } = useWorkbench();
  const { valueAt } = useWizard();
  const model = useStore(ownModel);
  const path = valueAt(['model', 'source', 'path']);
  const inUse = typeof path === 'string' ? path : null;
  // Of one that is laid aside nothing is asked any more.
  const { opened } = model;
  const isShown = opened !== null && (opened.path === inUse || opened.choice === null || !opened.trusted);
  const choose = (kind: 'file' | 'folder') => {
    attempt(async () => {
      const title = kind === 'file' ? 'Choose a model file' : 'Choose a model folder';
      const chosen = await client.call('desktop.choosePath', { kind, title });
      if (chosen !== null) await model.open(chosen.path);
    });
  };
  return (
    <section className="panel" aria-label="Your own model" data-chosen={inUse !== null}>
      <div className="panel-head">
        <h3>Your own model</h3>
        {inUse === null ? <span className="dim">or choose a preset below</span> : null}
      </div>
      <div className="panel-body">
        {inUse === null ? null : <InUse path={inUse} />}
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
        {isShown ? <AskedShapes model={model} /> : null}
        {isShown ? <TrustNotice model={model} /> : null}
      </div>
      {inUse === null ? null : <TensorTable />}
    </section>
  );
}
