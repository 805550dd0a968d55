import { Button, TextInput } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { type ModelSource, sourceKinds } from '../../../../main/contract/run/run-spec';
import { SmallButton } from '../../../components/actions';
import { ErrorPanel } from '../../../components/error-panel';
import { LinkButton } from '../../../components/links';
import { attempt, attempting } from '../../../components/notices';
import { firstPreset } from '../../../stores/draft/draft-state';
import type { OwnModel } from '../../../stores/draft/own-model';
import { useWorkbench } from '../../../workbench';
import { useWizard } from '../wizard-context';
import { HubModelChoice } from './hub-model';
import { ServedAsTensors } from './served-as';

const listed = 12;

interface Asked {
  readonly model: OwnModel;
  /** Wraps an action that may put the model into the draft. */
  readonly taking: (work: (asNew: boolean) => Promise<boolean>) => () => void;
}

function TrustNotice({ model, taking }: Asked) {
  const { opened, trust, busy } = model;
  if (opened === null || opened.trusted || opened.code.length === 0) return null;
  const more = opened.code.length - listed;
  const open = opened.asked.some(({ name, shape }) => shape === null && (model.shapes[name] ?? '') === '');
  return (
    <div className="section-note stack" role="group" aria-label="Trust this code">
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
      <div>
        <Button size="xs" loading={busy} disabled={open} onClick={taking(trust)}>
          Trust and use
        </Button>
      </div>
    </div>
  );
}

function AskedShapes({ model, taking }: Asked) {
  const { opened, shapes, shapeProblems, setShape, retry, busy } = model;
  if (opened === null || opened.asked.length === 0) return null;
  return (
    <div className="add-argument" role="group" aria-label="Shapes of the inputs">
      {opened.asked.map(({ name, shape }) => (
        <TextInput
          key={name}
          size="xs"
          label={`Shape of ${name}`}
          placeholder="1, 3, 224, 224"
          error={shapeProblems[name]}
          value={shapes[name] ?? shape?.join(', ') ?? ''}
          onChange={(event) => setShape(name, event.currentTarget.value)}
        />
      ))}
      {opened.trusted ? (
        <SmallButton loading={busy} onClick={taking(retry)}>
          Use these shapes
        </SmallButton>
      ) : null}
    </div>
  );
}

interface TakenHow {
  /** Begins a new draft. */
  asNew?: boolean;
  /** The draft has it: nothing is left to trust or answer. */
  onTaken?: () => void;
}

const takingOf =
  ({ asNew = false, onTaken }: TakenHow): Asked['taking'] =>
  (work) =>
    attempting(async () => {
      if (await work(asNew)) onTaken?.();
    });

/** What a model that was opened says of itself, and what it needs before a draft has it: shapes and trust. */
export function ModelQuestions({ inUse = null, ...how }: TakenHow & { inUse?: string | null }) {
  const model = useStore(useWorkbench().ownModel);
  const { opened } = model;
  const taking = takingOf(how);
  if (opened === null) return null;
  return (
    <>
      <div role="status">
        {opened.path === inUse ? null : <p className="mono own-model-path">{opened.path}</p>}
        {opened.notes.map((note) => (
          <p key={note} className="field-help">
            {note}
          </p>
        ))}
      </div>
      <AskedShapes model={model} taking={taking} />
      <TrustNotice model={model} taking={taking} />
    </>
  );
}

/**
 * Takes a model file or folder, read without executing it.
 * @param inUse path of the draft's own model; null: none
 */
export function OwnModelChoice({ inUse, ...how }: TakenHow & { inUse: string | null }) {
  const { client, ownModel } = useWorkbench();
  const model = useStore(ownModel);
  // A model that was laid aside asks nothing.
  const { opened } = model;
  const isShown = opened !== null && (opened.path === inUse || opened.choice === null || !opened.trusted);
  const taking = takingOf(how);
  const choosing = (kind: 'file' | 'folder') =>
    taking(async (asNew) => {
      const title = kind === 'file' ? 'Choose a model file' : 'Choose a model folder';
      const chosen = await client.call('desktop.choosePath', { kind, title });
      return chosen !== null && (await model.open(chosen.path, asNew));
    });
  return (
    <>
      <div className="drop-zone" data-drop="model">
        <span>
          {inUse === null
            ? 'Drop a model file or folder here, or'
            : 'To replace it, drop another model here, or'}
        </span>
        <SmallButton loading={model.busy} onClick={choosing('file')}>
          Choose a file…
        </SmallButton>
        <SmallButton disabled={model.busy} onClick={choosing('folder')}>
          Choose a folder…
        </SmallButton>
      </div>
      <HubModelChoice taking={taking} />
      <p className="field-help">
        An ONNX or TorchScript file, a model of XGBoost, LightGBM or scikit-learn, a SavedModel folder, a
        Hugging Face folder, a folder with model.py, or a model of a Triton repository; or the name of a model
        of the Hugging Face hub. Reading it executes nothing.
      </p>
      {model.error === null ? null : <ErrorPanel error={model.error} />}
      {isShown ? <ModelQuestions inUse={inUse} {...how} /> : null}
    </>
  );
}

export function useOwnModelPath(): string | null {
  const path = useWizard().valueAt(['model', 'source', 'path']);
  return typeof path === 'string' ? path : null;
}

const kindText: Readonly<Record<ModelSource['kind'], string>> = {
  folder: 'Folder with model code',
  onnx: 'ONNX file',
  torchscript: 'TorchScript file',
  savedmodel: 'SavedModel folder',
  repository: 'Model of a Triton repository, as it is',
  huggingface: 'Hugging Face folder',
  trees: 'Tree model or pipeline',
};

/** What is served with a repository's model, and the way to its other models. */
function OfRepository({ path }: { path: string }) {
  const { repository, route } = useWorkbench();
  const models = useWizard().draft.preview?.spec?.model.source?.repository?.models ?? [];
  const beside = models.slice(1).map(({ name }) => name);
  const show = (): void => {
    const { path: shown, open } = repository.getState();
    const folder = path.slice(0, path.lastIndexOf('/'));
    route.getState().go({ page: 'new', repository: true });
    if (shown !== folder) attempt(() => open(folder));
  };
  return (
    <div className="dim">
      {beside.length === 0 ? null : `Served with it: ${beside.join(', ')}. `}
      <LinkButton onClick={show}>Models of this repository</LinkButton>
    </div>
  );
}

export function OwnModelInUse({ path }: { path: string }) {
  const { draft, preset, context, valueAt } = useWizard();
  // As starting over does.
  const first = context.presets.find(({ id }) => id === firstPreset) ?? context.presets[0];
  const kind = sourceKinds.find((known) => known === valueAt(['model', 'source', 'kind']));
  const card = useRef<HTMLDivElement>(null);
  // The button that chose it may be far below, and the presets in between.
  useEffect(() => card.current?.scrollIntoView({ block: 'nearest' }), [path]);
  return (
    <div ref={card} className="own-model" role="status">
      <IconCircleCheck size={18} className="tone-info" aria-hidden="true" />
      <div className="own-model-text">
        <strong>{preset.title}</strong>{' '}
        <span className="dim">In use · {kind === undefined ? 'Model' : kindText[kind]}</span>
        <div className="mono own-model-path">{path}</div>
        {kind === 'repository' ? <OfRepository path={path} /> : null}
        {kind === 'huggingface' ? <ServedAsTensors path={path} /> : null}
      </div>
      {first === undefined ? null : (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          onClick={() => draft.choosePreset(first.id, first.title)}
        >
          Use a preset instead
        </Button>
      )}
    </div>
  );
}
