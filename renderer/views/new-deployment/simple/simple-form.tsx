import { NativeSelect } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { fieldAt } from '../../../../main/contract/fields/fields';
import { isJobEngine } from '../../../../main/contract/job/run-job';
import { askedGpus, isElsewhere, isProcess } from '../../../../main/contract/run/engine-kinds';
import { PageLink } from '../../../components/links';
import { Panel } from '../../../components/panel';
import { ChoiceField } from '../controls/choice-control';
import { type ControlProps, FieldFrame } from '../controls/field-frame';
import { FieldInput } from '../controls/field-input';
import { type Field, type FieldContext, type Option, pathOf } from '../fields/field';
import { engineOf } from '../fields/why-not';
import { OwnModelChoice, OwnModelInUse, useOwnModelPath } from '../pages/own-model';
import { TensorLine, TensorTable } from '../pages/signature-table';
import { useWizard } from '../wizard-context';
import { LoadPart } from './load-part';

function PresetSelect({ input }: ControlProps) {
  const { draft, preset, context } = useWizard();
  const list = context.presets;
  return (
    <NativeSelect
      {...input}
      description={preset.summary}
      value={draft.preset}
      data={list.map(({ id, title }) => ({ value: id, label: title }))}
      onChange={({ currentTarget }) => {
        const { value } = currentTarget;
        draft.choosePreset(value, list.find(({ id }) => id === value)?.title);
      }}
    />
  );
}

const presetField: Field = {
  keys: ['model', 'preset'],
  label: 'Preset',
  term: fieldAt('model.preset').term,
  help: '',
  control: { kind: 'text', placeholder: '' },
};

function ModelPart() {
  const { fields, preset } = useWizard();
  const inUse = useOwnModelPath();
  const profile = fields.find((field) => pathOf(field) === 'model.profile');
  return (
    <Panel title="Model" level={3}>
      <div className="panel-body">
        {inUse === null ? (
          <FieldFrame field={presetField} control={(frame) => <PresetSelect {...frame} />} />
        ) : (
          <OwnModelInUse path={inUse} />
        )}
        <details className="simple-more">
          <summary className="dim">
            {inUse === null ? 'Use a model file of your own' : 'Use another model file'}
          </summary>
          <OwnModelChoice inUse={inUse} />
        </details>
        {profile === undefined || Object.keys(preset.profiles).length < 2 ? null : (
          <FieldInput field={profile} />
        )}
        <details className="simple-more">
          <summary className="dim">
            <TensorLine />
          </summary>
          <TensorTable />
        </details>
      </div>
    </Panel>
  );
}

const gpuKeys = ['engine', 'gpus'] as const;

function devices(context: FieldContext): readonly Option[] {
  const gpus = context.machine?.gpus ?? null;
  const [first] = gpus?.gpus ?? [];
  const why = isProcess(engineOf(context))
    ? 'The local Triton uses the CPU. Choose Docker for a GPU.'
    : gpus !== null && first === undefined
      ? (gpus.problem ?? 'No NVIDIA GPU detected.')
      : undefined;
  return [
    { value: 'cpu', label: 'CPU', note: 'This machine’s processor.' },
    { value: 'gpu', label: 'GPU', note: first?.name ?? 'The idlest GPU.', why },
  ];
}

function DeviceInput() {
  const { context, draft } = useWizard();
  const engine = engineOf(context);
  if (isElsewhere(engine) || isJobEngine(engine)) return null;
  const value = askedGpus(engine).length > 0 ? 'gpu' : 'cpu';
  return (
    <ChoiceField
      keys={gpuKeys}
      label="GPU or CPU"
      help=""
      options={devices(context)}
      cards="grid"
      value={value}
      onChoose={(chosen) => draft.change(gpuKeys, chosen === 'gpu' ? ['idlest'] : [])}
    />
  );
}

const shownPaths: ReadonlySet<string> = new Set([
  ...['engine.kind', 'engine.host', 'engine.url'],
  ...['engine.login', 'engine.profile', 'engine.partition', 'engine.gres', 'engine.timeLimit'],
]);

function EnginePart() {
  const { fields } = useWizard();
  const shown = fields.filter((field) => shownPaths.has(pathOf(field)));
  const isRefused = shown.some(
    ({ control }) => control.kind === 'choice' && control.options.some(({ why }) => why !== undefined),
  );
  return (
    <Panel
      title="Where it runs"
      level={3}
      head={
        isRefused ? (
          <PageLink to={{ page: 'environment' }}>Set up on the Environment page</PageLink>
        ) : undefined
      }
    >
      <div className="panel-body">
        {shown.map((field) => (
          <FieldInput key={pathOf(field)} field={field} />
        ))}
        <DeviceInput />
      </div>
    </Panel>
  );
}

export function SimpleForm() {
  const { changes } = useWizard();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="wizard-form" role="region" aria-label="Deployment" tabIndex={0}>
      <header className="wizard-heading">
        <h2 ref={heading} tabIndex={-1}>
          Deployment
        </h2>
        <p className="dim">
          The main settings.{' '}
          {changes.length === 0
            ? 'Everything else has its default.'
            : 'The summary lists everything that differs from the defaults.'}
        </p>
      </header>
      <ModelPart />
      <EnginePart />
      <LoadPart />
    </div>
  );
}
