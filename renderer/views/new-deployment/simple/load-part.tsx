import { NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTypedNumber } from '../../../components/input/use-typed-number';
import { Panel } from '../../../components/panel';
import { ChoiceField } from '../controls/choice-control';
import { FieldFrame } from '../controls/field-frame';
import { FieldInput } from '../controls/field-input';
import { type Field, pathOf } from '../fields/field';
import { BudgetInput, NameInput } from '../pages/name-and-budget';
import { useWizard } from '../wizard-context';
import { followMaximum } from './max-batch';
import { chosenMeasuring, lengthKeys, measuringOptions } from './measuring';
import { notOfferedText, servedFiles } from './served-files';

const lists = [
  { keys: ['configure', 'preferredBatchSizes'], mayBeEmpty: true },
  { keys: ['performance', 'batchSizes'], mayBeEmpty: false },
] as const;

function MaxBatchInput({ field }: { field: Field }) {
  const { draft, valueAt, defaultOf } = useWizard();
  const value = valueAt(field.keys);
  const change = (next: number | null): void => {
    const after = next ?? defaultOf(field.keys);
    if (next === null) draft.reset(field.keys);
    else draft.change(field.keys, next);
    if (typeof value !== 'number' || typeof after !== 'number') return;
    for (const { keys, mayBeEmpty } of lists) {
      const of = { list: valueAt(keys), defaults: defaultOf(keys), mayBeEmpty };
      const list = followMaximum(of, value, after);
      if (list === 'default') draft.reset(keys);
      else if (list !== null) draft.change(keys, list);
    }
  };
  const typed = useTypedNumber(typeof value === 'number' ? value : null, change);
  return (
    <FieldFrame
      field={field}
      control={({ input }) => (
        <NumberInput
          {...input}
          {...typed}
          min={0}
          clampBehavior="none"
          allowDecimal={false}
          thousandSeparator=","
        />
      )}
    />
  );
}

const formatKeys = ['format'] as const;
const precisionKeys = ['precision'] as const;

function ServedFileInput() {
  const { context, draft, valueAt } = useWizard();
  const options = servedFiles(context);
  return (
    <ChoiceField
      keys={formatKeys}
      also={[precisionKeys]}
      label="Format and precision"
      help={notOfferedText(context).join(' ')}
      options={options}
      cards="pairs"
      value={`${String(valueAt(formatKeys))} ${String(valueAt(precisionKeys))}`}
      onChoose={(value) => {
        const file = options.find((option) => option.value === value);
        if (file === undefined) return;
        draft.change(formatKeys, file.format);
        draft.change(precisionKeys, file.precision);
      }}
    />
  );
}

function MeasuringInput() {
  const { preset, draft, defaultOf, valueAt } = useWizard();
  const isByCount = valueAt(['performance', 'measurementMode']) === 'count_windows';
  const options = measuringOptions(preset, defaultOf, isByCount);
  const chosen = chosenMeasuring(options, valueAt);
  return (
    <ChoiceField
      keys={lengthKeys.measurementIntervalMs}
      also={[lengthKeys.maxTrials]}
      label="Measuring"
      help={chosen === undefined ? 'Set one by one in All settings, Performance.' : ''}
      options={options}
      cards="grid"
      value={chosen?.value}
      onChoose={(value) => {
        const option = options.find((one) => one.value === value);
        if (option === undefined) return;
        for (const name of ['measurementIntervalMs', 'maxTrials'] as const) {
          if (value === 'standard') draft.reset(lengthKeys[name]);
          else draft.change(lengthKeys[name], option[name]);
        }
      }}
    />
  );
}

export function LoadPart() {
  const { fields } = useWizard();
  const inputs = (path: string, input: (field: Field) => ReactNode): ReactNode =>
    fields.filter((field) => pathOf(field) === path).map(input);
  return (
    <>
      <Panel title="Served model" level={3}>
        <div className="panel-body">
          <ServedFileInput />
          <div className="fields">
            {inputs('configure.maxBatchSize', (field) => (
              <MaxBatchInput key={pathOf(field)} field={field} />
            ))}
          </div>
        </div>
      </Panel>
      <Panel title="Measurement" level={3}>
        <div className="panel-body">
          <div className="fields">
            {inputs('performance.batchSizes', (field) => (
              <FieldInput key={pathOf(field)} field={{ ...field, wide: false }} />
            ))}
            <BudgetInput />
          </div>
          <MeasuringInput />
          <div className="fields">
            <NameInput />
          </div>
        </div>
      </Panel>
    </>
  );
}
