import { Modal, MultiSelect, NumberInput, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { RunSummary } from '../../../../main/contract/api';
import type { Preset } from '../../../../main/contract/run/preset';
import type { JointRequest } from '../../../../main/contract/study/joint';
import type { JointPlan } from '../../../../main/contract/study/study';
import { durationText } from '../../../../main/domain/run/time-left';
import { mostLooks } from '../../../../main/domain/study/joint/plan-joint';
import type { Client } from '../../../client';
import { runTitle } from '../../../format/run-title';
import { formatWhen } from '../../../format/times';
import { counted } from '../../../format/words';
import { onText } from '../../../handlers';
import { onSubmit } from '../../../use-form-work';
import { useWorkbench } from '../../../workbench';
import { PlannedEnd, usePlan } from '../search/plan-search';
import {
  isSearchable,
  type JointAim,
  jointRequestOf,
  type JointText,
  leastModels,
  modelsOf,
  type ModelText,
  mostModels,
  noJoint,
} from './joint-request';

const aims: readonly { readonly value: JointAim; readonly label: string }[] = [
  { value: 'load', label: 'Highest load' },
  { value: 'instances', label: 'Fewest instances' },
  { value: 'mix', label: 'Highest total of a mix' },
];
const aimHelp: Readonly<Record<JointAim, string>> = {
  load: 'The highest multiple of all rates that the models sustain together, each within its p99.',
  instances:
    'The fewest model instances with which the models sustain their rates together, each within its p99.',
  mix: 'The rates are shares of a mix; the search finds the highest total that the models sustain together, each within its p99.',
};

const planJoint = (client: Client, request: JointRequest): Promise<JointPlan> =>
  client.call('searches.planJoint', request);

function ModelRow(props: {
  model: ModelText;
  name: string;
  isMix: boolean;
  onChange: (change: Partial<ModelText>) => void;
}) {
  const { model, name, isMix, onChange } = props;
  return (
    <fieldset className="joint-model">
      <legend>{name}</legend>
      <div className="row">
        <NumberInput
          label={isMix ? 'Share of the mix' : 'Rate (inferences/s)'}
          flex={1}
          min={0}
          required
          value={model.rate}
          onChange={(rate) => onChange({ rate })}
        />
        <NumberInput
          label="Largest p99 (ms)"
          flex={1}
          min={0}
          placeholder="from the run"
          value={model.p99Ms}
          onChange={(p99Ms) => onChange({ p99Ms })}
        />
        <TextInput
          label="Name in the answer"
          flex={1}
          maxLength={40}
          placeholder="as it is served"
          value={model.title}
          onChange={onText((title) => onChange({ title }))}
        />
      </div>
    </fieldset>
  );
}

/** Runs of one model differ in when they began. */
const runLabel = (run: RunSummary, known: readonly Preset[]): string =>
  `${runTitle(run, known)}, ${formatWhen(run.createdAt)}`;

function RunsField(props: { chosen: readonly string[]; onChange: (runIds: readonly string[]) => void }) {
  const { runs, presets } = useWorkbench();
  const list = useStore(runs, ({ value }) => value) ?? [];
  const known = useStore(presets, ({ value }) => value) ?? [];
  const offered = list.filter(isSearchable);
  return (
    <MultiSelect
      label="Models"
      description={
        offered.length < leastModels
          ? 'Two finished runs with a verified model are needed: finish another run first.'
          : 'Finished runs whose models share one machine'
      }
      searchable
      hidePickedOptions
      maxValues={mostModels}
      placeholder={props.chosen.length === 0 ? 'Choose two or more runs' : ''}
      data={offered.map((run) => ({
        value: run.runId,
        label: runLabel(run, known),
      }))}
      value={[...props.chosen]}
      onChange={props.onChange}
    />
  );
}

function missingText({ models, aim }: JointText): string {
  if (models.length < leastModels) return 'Choose two or more runs.';
  return aim === 'mix' ? 'Enter the share of each model.' : 'Enter the rate of each model.';
}

function summaryOf({ joint }: JointPlan): string {
  const configurations = joint.models.reduce((sum, { candidates }) => sum + candidates.length, 0);
  return `${counted(joint.models.length, 'model')} with ${counted(configurations, 'configuration')}: at most ${counted(
    mostLooks(joint),
    'measurement',
  )} of all together, ${durationText(joint.budgetS)} of load. Loading the configurations adds to it.`;
}

const words = {
  ...{ of: 'search', notes: 'What is searched' },
  ...{ start: 'Start search', action: 'Load and search' },
};

function JointForm({ runIds, onDone }: { runIds: readonly string[]; onDone: () => void }) {
  const { runs, presets } = useWorkbench();
  const list = useStore(runs, ({ value }) => value) ?? [];
  const known = useStore(presets, ({ value }) => value) ?? [];
  const [typed, setTyped] = useState<JointText>({ ...noJoint, models: modelsOf([], runIds) });
  const { models, aim, minutes } = typed;
  const change = (more: Partial<JointText>): void => setTyped({ ...typed, ...more });
  const request = jointRequestOf(typed);
  const planned = usePlan(planJoint, request);
  return (
    <form className="stack" onSubmit={onSubmit(() => undefined)}>
      <RunsField
        chosen={models.map(({ runId }) => runId)}
        onChange={(chosen) => change({ models: modelsOf(models, chosen) })}
      />
      {models.map((model) => {
        const run = list.find(({ runId }) => runId === model.runId);
        return (
          <ModelRow
            key={model.runId}
            model={model}
            name={run === undefined ? model.runId : runLabel(run, known)}
            isMix={aim === 'mix'}
            onChange={(more) =>
              change({ models: models.map((one) => (one === model ? { ...one, ...more } : one)) })
            }
          />
        );
      })}
      <SegmentedControl
        aria-label="Objective"
        data={[...aims]}
        value={aim}
        onChange={(value) => change({ aim: aims.find((one) => one.value === value)?.value ?? 'load' })}
      />
      <p className="dim">{aimHelp[aim]}</p>
      <NumberInput
        label="Maximum time under load (minutes)"
        min={0.5}
        max={600}
        value={minutes}
        onChange={(value) => change({ minutes: value })}
      />
      {request === null ? <p role="status">{missingText(typed)}</p> : null}
      <PlannedEnd {...{ planned, words }} summary={summaryOf} onStarted={onDone} />
    </form>
  );
}

/** A search of several models that share a machine: from finished runs to its page. */
export function JointDialog() {
  const { overlay } = useWorkbench();
  const { together, close } = useStore(overlay);
  return (
    <Modal
      opened={together !== null}
      onClose={close}
      title="Find the best configurations of several models"
      size="lg"
    >
      {together === null ? null : <JointForm runIds={together} onDone={close} />}
    </Modal>
  );
}
