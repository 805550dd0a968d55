import type { ReactNode } from 'react';
import { Panel } from '../../../components/panel';
import { ChoiceField } from '../controls/choice-control';
import { FieldInput } from '../controls/field-input';
import { type Field, pathOf } from '../fields/field';
import { isAsIs } from '../fields/serving-fields';
import { BudgetInput, NameInput } from '../pages/name-and-budget';
import { useWizard } from '../wizard-context';
import { MaxBatchInput } from './max-batch-input';
import { chosenMeasuring, lengthKeys, measuringOptions } from './measuring';
import { RepositoryPart } from './repository-part';
import { notOfferedText, servedFiles } from './served-files';

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
      help={chosen === undefined ? 'Set individually in All settings, Performance.' : ''}
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
  const { fields, preset } = useWizard();
  const inputs = (path: string, input: (field: Field) => ReactNode): ReactNode =>
    fields.filter((field) => pathOf(field) === path).map(input);
  return (
    <>
      {isAsIs(preset) ? (
        <RepositoryPart />
      ) : (
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
      )}
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
