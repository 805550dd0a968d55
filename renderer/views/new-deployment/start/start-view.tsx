import { Button } from '@mantine/core';
import { IconActivity, IconFile, IconServer2, IconStack3 } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { Page } from '../../../components/page';
import { firstPreset } from '../../../stores/draft/draft-state';
import { useWorkbench } from '../../../workbench';
import { DropHint, useDrop } from '../drop';
import { OwnModelChoice } from '../pages/own-model-choice';
import { Wizard } from '../wizard';
import { ImportConfiguration } from '../wizard-actions';
import { useWizardModel } from '../wizard-context';
import { ContinueDraft } from './continue-draft';
import { RecentList } from './recent-list';

/** The published deployments, each with what it does. */
function PresetList({ onChoose }: { onChoose: (preset: string) => void }) {
  const list = useStore(useWorkbench().presets, (state) => state.value) ?? [];
  return (
    <ul className="start-presets">
      {list.map(({ id, title, summary }) => (
        <li key={id}>
          <button
            type="button"
            className="plain-button start-preset"
            data-preset={id}
            aria-label={title}
            aria-describedby={`preset-${id}`}
            onClick={() => {
              onChoose(id);
            }}
          >
            <strong>{title}</strong>
            <span id={`preset-${id}`} className="dim">
              {summary}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A Triton that is there already: measured as it is, or given a model. */
function RunningTriton({ onDeploy }: { onDeploy: () => void }) {
  const { overlay } = useWorkbench();
  return (
    <div className="panel-body stack">
      <p>Measure a model that it serves. Nothing is installed, loaded or changed there.</p>
      <Button
        size="xs"
        variant="default"
        className="start-action"
        leftSection={<IconActivity size={14} aria-hidden="true" />}
        onClick={() => {
          overlay.getState().measure({});
        }}
      >
        Measure a server…
      </Button>
      <p>Or load a preset or your own model onto it. The server must allow explicit model control.</p>
      <Button
        size="xs"
        variant="default"
        className="start-action"
        leftSection={<IconServer2 size={14} aria-hidden="true" />}
        onClick={onDeploy}
      >
        Deploy to a server
      </Button>
    </div>
  );
}

/** How a deployment begins: from a model, a preset, a server, the draft that was left, or a run. */
export function StartView() {
  const { draft, route } = useWorkbench();
  const { open, startNew, change, error } = useStore(draft);
  const model = useWizardModel();
  useEffect(() => {
    void open();
  }, [open]);
  const toDraft = (): void => {
    route.getState().go({ page: 'new', draft: true });
  };
  const dragged = useDrop((_use, isTaken) => {
    if (isTaken) toDraft();
  }, true);
  const begin = (preset: string): void => {
    startNew(preset);
    toDraft();
  };
  return (
    <Page title="New deployment" bare actions={<ImportConfiguration asNew onTaken={toDraft} />}>
      <Wizard model={model} error={error}>
        <div className="start" data-drop="model" role="region" aria-label="How to begin" tabIndex={0}>
          <ContinueDraft onContinue={toDraft} />
          <div className="start-choices">
            <section className="panel" aria-label="Your own model">
              <div className="panel-head">
                <IconFile size={17} aria-hidden="true" />
                <h2>A model file</h2>
              </div>
              <div className="panel-body">
                <OwnModelChoice inUse={null} asNew onTaken={toDraft} />
              </div>
            </section>
            <section className="panel" aria-label="Presets">
              <div className="panel-head">
                <IconStack3 size={17} aria-hidden="true" />
                <h2>A preset</h2>
                <span className="dim">published deployments</span>
              </div>
              <PresetList onChoose={begin} />
            </section>
            <section className="panel" aria-label="Running Triton">
              <div className="panel-head">
                <IconServer2 size={17} aria-hidden="true" />
                <h2>A running Triton</h2>
              </div>
              <RunningTriton
                onDeploy={() => {
                  startNew(firstPreset);
                  change(['engine', 'kind'], 'remote');
                  toDraft();
                }}
              />
            </section>
          </div>
          <RecentList onDraft={toDraft} />
        </div>
        {dragged ? <DropHint /> : null}
      </Wizard>
    </Page>
  );
}
