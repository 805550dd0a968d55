import { NativeSelect } from '@mantine/core';
import { fieldAt } from '../../../../main/contract/fields/fields';
import { Panel } from '../../../components/panel';
import { type ControlProps, FieldFrame } from '../controls/field-frame';
import { FieldInput } from '../controls/field-input';
import { type Field, pathOf } from '../fields/field';
import { OwnModelChoice } from '../pages/own-model-choice';
import { OwnModelInUse } from '../pages/own-model-in-use';
import { TensorLine, TensorTable } from '../pages/signature-table';
import { useWizard } from '../wizard-context';

const nothing = (): void => undefined;

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
  ...{ keys: ['model', 'preset'], label: 'Preset', term: fieldAt('model.preset').term, help: '' },
  control: { kind: 'text', placeholder: '' },
};

/** Which model, and what is known of its inputs and outputs. */
export function ModelPart() {
  const { fields, preset, valueAt } = useWizard();
  const path = valueAt(['model', 'source', 'path']);
  const inUse = typeof path === 'string' ? path : null;
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
          <OwnModelChoice inUse={inUse} onTaken={nothing} />
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
