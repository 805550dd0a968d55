import { TextInput } from '@mantine/core';
import { useStore } from 'zustand';
import { formatBytes } from '../../../../main/contract/numbers';
import { hubModelText } from '../../../../main/contract/own/hub';
import { present } from '../../../../main/contract/trees';
import { SmallButton } from '../../../components/actions';
import { ErrorPanel } from '../../../components/error-panel';
import { attempting } from '../../../components/notices';
import type { HubModelState } from '../../../stores/draft/hub-model';
import { useWorkbench } from '../../../workbench';

interface Taking {
  /** Wraps an action that may put the model into the draft. */
  readonly taking: (work: (asNew: boolean) => Promise<boolean>) => () => void;
}

function Download({ hub, taking }: Taking & { hub: HubModelState }) {
  const { model, work, fetch, cancel, busy } = hub;
  if (model === null) return null;
  const isRunning = work?.status === 'running';
  return (
    <>
      <p role="status" className="field-help">
        {model.note ?? hubModelText(model)}
      </p>
      {isRunning ? (
        <div className="row">
          <progress
            className="bar"
            max={1}
            aria-label={`Downloading ${work.title}`}
            {...present({ value: work.fraction })}
          />
          <span className="dim">{work.text}</span>
          <SmallButton onClick={attempting(cancel)}>Cancel download</SmallButton>
        </div>
      ) : model.path === null ? (
        <SmallButton loading={busy} onClick={taking(fetch)}>
          {model.missingBytes === 0 ? 'Use this model' : `Download ${formatBytes(model.missingBytes)}`}
        </SmallButton>
      ) : null}
    </>
  );
}

/** Takes a model of the Hugging Face hub: its size is shown before anything is downloaded. */
export function HubModelChoice({ taking }: Taking) {
  const hub = useStore(useWorkbench().hubModel);
  const { reference, setReference, look, busy, model, error } = hub;
  return (
    <div className="column">
      <form
        className="row hub-form"
        onSubmit={(event) => {
          event.preventDefault();
          taking(look)();
        }}
      >
        <TextInput
          size="xs"
          flex={1}
          maw={400}
          label="Model of the Hugging Face hub"
          placeholder="hf:ORG/NAME@REVISION"
          value={reference}
          onChange={(event) => setReference(event.currentTarget.value)}
        />
        <SmallButton type="submit" loading={busy && model === null} disabled={reference.trim() === ''}>
          Look up on the hub
        </SmallButton>
      </form>
      <Download hub={hub} taking={taking} />
      {error === null ? null : <ErrorPanel error={error} />}
    </div>
  );
}
