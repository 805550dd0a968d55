import { Button } from '@mantine/core';
import {
  IconActivity,
  IconArrowRight,
  IconFile,
  IconFolders,
  IconServer2,
  IconStack3,
} from '@tabler/icons-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { Answer } from '../../../components/answer';
import { attempting } from '../../../components/notices';
import { Page } from '../../../components/page';
import { Panel } from '../../../components/panel';
import { useNow } from '../../../components/use/use-time';
import { formatAge, formatWhen } from '../../../format/times';
import { newDraftOf } from '../../../stores/draft/draft-session';
import {
  firstPreset,
  isOwnModel,
  isWorthKeeping,
  type NewDraft,
  openText,
} from '../../../stores/draft/draft-state';
import { settingsOf } from '../../../stores/settings';
import { useWorkbench } from '../../../workbench';
import { runAgain } from '../../runs/run-tools';
import { changesText } from '../changes';
import { DropHint, useDrop } from '../drop';
import { OwnModelChoice } from '../pages/own-model';
import { useChooseRepository } from '../repository/use-choose-repository';
import { ImportConfiguration } from '../wizard-actions';
import { useWizard, useWizardModel, Wizard } from '../wizard-context';
import { type Recent, recentModels } from './recents';

function PresetList({ onChoose }: { onChoose: (preset: string) => void }) {
  const { presets } = useWizard().context;
  return (
    <ul className="start-presets">
      {presets.map(({ id, title, summary }) => (
        <li key={id}>
          <button
            type="button"
            className="plain-button start-preset"
            data-preset={id}
            aria-label={title}
            aria-describedby={`preset-${id}`}
            onClick={() => onChoose(id)}
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

const action = { size: 'xs', variant: 'default', className: 'start-action' } as const;

function RunningTriton({ onDeploy }: { onDeploy: () => void }) {
  const { overlay } = useWorkbench();
  return (
    <div className="panel-body stack">
      <p>Measure a model that it serves. Nothing is installed, loaded or changed there.</p>
      <Button
        {...action}
        leftSection={<IconActivity size={14} aria-hidden="true" />}
        onClick={() => overlay.getState().measure({})}
      >
        Measure a server…
      </Button>
      <p>Or load a preset or your own model onto it. The server must allow explicit model control.</p>
      <Button {...action} leftSection={<IconServer2 size={14} aria-hidden="true" />} onClick={onDeploy}>
        Deploy to a server
      </Button>
    </div>
  );
}

function ExistingRepository() {
  const choose = useChooseRepository();
  return (
    <div className="panel-body stack">
      <p>
        Check all its models, and measure one of them with its own files and config.pbtxt: ensembles, Python
        and BLS models, and those of any backend that the chosen Triton has.
      </p>
      <Button {...action} leftSection={<IconFolders size={14} aria-hidden="true" />} onClick={choose}>
        Choose a repository…
      </Button>
    </div>
  );
}

function useFresh(): NewDraft {
  const { settings } = useWorkbench();
  return newDraftOf(settingsOf(useStore(settings)));
}

function ContinueDraft({ onContinue }: { onContinue: () => void }) {
  const { draft, preset, changes } = useWizard();
  const fresh = useFresh();
  const { changing, editedAt, name, p99BudgetMs, overrides } = draft;
  const isDefault =
    changes.length === 0 &&
    !isOwnModel(overrides) &&
    name === '' &&
    p99BudgetMs === fresh.p99BudgetMs &&
    openText(draft) === null;
  if (!isWorthKeeping(draft, fresh) || (changing === null && isDefault)) return null;
  const what =
    changing === null
      ? [
          ...(name === '' ? [] : [name]),
          preset.title,
          changesText(changes.length),
          ...(editedAt === null ? [] : [`edited ${formatWhen(editedAt)}`]),
        ].join(', ')
      : `Run ${changing} stays as it is until you press Change and continue.`;
  return (
    <section className="panel start-continue" aria-label="Unfinished draft">
      <div className="start-continue-text">
        <h2>{changing === null ? 'Unfinished draft' : 'Unfinished change of a run'}</h2>
        <p className="dim">{what}</p>
      </div>
      <Button size="xs" rightSection={<IconArrowRight size={14} aria-hidden="true" />} onClick={onContinue}>
        {changing === null ? 'Continue the draft' : 'Continue the change'}
      </Button>
    </section>
  );
}

function RecentList({ onDraft }: { onDraft: () => void }) {
  const workbench = useWorkbench();
  const { runs, presets, draft } = workbench;
  const { older, openDraft } = useStore(draft);
  const fresh = useFresh();
  const now = useNow(false);
  const list = useStore(runs, (state) => state.value) ?? [];
  const known = useStore(presets, (state) => state.value) ?? [];
  const titleOf = (preset: string): string => known.find(({ id }) => id === preset)?.title ?? preset;
  const recents = recentModels(older, list, titleOf, fresh);
  if (recents.length === 0) return null;
  const use = async ({ from }: Recent): Promise<void> => {
    if (from.kind === 'run') {
      await runAgain(workbench, from.runId);
      return;
    }
    openDraft(from.draft);
    onDraft();
  };
  return (
    <Panel title="Recent">
      <ul className="recents">
        {recents.map((recent) => (
          <li key={recent.key}>
            <button type="button" className="plain-button recent" onClick={attempting(() => use(recent))}>
              <strong className="cut">{recent.title}</strong>
              <span className="cut dim" title={recent.detail}>
                {recent.detail}
              </span>
              <span className="dim">{formatAge(recent.at, now)} ago</span>
              <span className="link">
                {recent.from.kind === 'run' ? 'Run again with changes' : 'Continue this draft'}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function StartView() {
  const { draft, route } = useWorkbench();
  const { open, startNew, change, error } = useStore(draft);
  const model = useWizardModel();
  useEffect(() => void open(), [open]);
  const toDraft = (): void => route.getState().go({ page: 'new', draft: true });
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
          <Answer
            text="What do you deploy? A model file, a Triton repository, a preset, or a model on a running Triton"
            tone="dim"
          />
          <ContinueDraft onContinue={toDraft} />
          <div className="start-choices">
            <div className="stack">
              <section className="panel" aria-label="Your own model">
                <div className="panel-head">
                  <IconFile size={17} aria-hidden="true" />
                  <h2>A model file</h2>
                </div>
                <div className="panel-body">
                  <OwnModelChoice inUse={null} asNew onTaken={toDraft} />
                </div>
              </section>
              <section className="panel" aria-label="Triton repository">
                <div className="panel-head">
                  <IconFolders size={17} aria-hidden="true" />
                  <h2>A Triton repository</h2>
                </div>
                <ExistingRepository />
              </section>
            </div>
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
