import { Button, TextInput } from '@mantine/core';
import { useStore } from 'zustand';
import { ErrorPanel } from '../../../components/error-panel';
import { attempt } from '../../../components/notices';
import type { OwnModel } from '../../../stores/own-model';
import { useWorkbench } from '../../../workbench';
import { useWizard } from '../wizard-context';

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
        <strong>A run executes code of this model with your rights.</strong> Nothing of it has been executed
        yet. Trust it only if you know where it comes from; when a file changes, you are asked again.
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

/** A model of the engineer's own, beside the presets: a file or a folder, read without executing it. */
export function OwnModelPanel() {
  const { client, ownModel } = useWorkbench();
  const { valueAt } = useWizard();
  const model = useStore(ownModel);
  const inUse = valueAt(['model', 'source', 'path']);
  const choose = (kind: 'file' | 'folder') => {
    attempt(async () => {
      const title = kind === 'file' ? 'Choose a model file' : 'Choose a model folder';
      const chosen = await client.call('desktop.choosePath', { kind, title });
      if (chosen !== null) await model.open(chosen.path);
    });
  };
  return (
    <section className="panel" aria-label="Your own model">
      <div className="panel-head">
        <h3>Your own model</h3>
        {typeof inUse === 'string' ? (
          <span className="dim cut" title={inUse}>
            in use: {inUse}
          </span>
        ) : null}
      </div>
      <div className="panel-body">
        <p className="section-note">
          An ONNX or TorchScript file, a SavedModel folder, a folder with model.py, or a model of a Triton
          repository. Reading it executes nothing.
        </p>
        <div className="row">
          <Button
            size="xs"
            variant="default"
            loading={model.busy}
            onClick={() => {
              choose('file');
            }}
          >
            Choose a file…
          </Button>{' '}
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
        {model.error === null ? null : <ErrorPanel error={model.error} />}
        {model.opened === null ? null : (
          <div role="status">
            <p className="mono">{model.opened.path}</p>
            {model.opened.notes.map((note) => (
              <p key={note} className="field-help">
                {note}
              </p>
            ))}
          </div>
        )}
        <AskedShapes model={model} />
        <TrustNotice model={model} />
      </div>
    </section>
  );
}
