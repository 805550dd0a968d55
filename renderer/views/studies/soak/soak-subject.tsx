import { SegmentedControl, Select, TextInput } from '@mantine/core';
import type { WireError } from '../../../../main/contract/errors';
import { remedyOf } from '../../../../main/contract/remedy';
import type { ServedModel, ServerDescription } from '../../../../main/contract/run/measure-request';
import { asSentence, counted } from '../../../format/words';
import { onText } from '../../../handlers';
import { CheckedAddress, onEnter } from '../search/checked-address';
import { isSecure } from '../search/place-field';
import { DeploymentField, RunField, useDeployments } from '../subject-fields';
import { addressOf, dimsOf, isAsked, type SoakKind, type SoakText, withKind } from './soak-request';

interface SubjectProps {
  text: SoakText;
  onChange: (change: Partial<SoakText>) => void;
}

const kinds: readonly { readonly value: SoakKind; readonly label: string }[] = [
  { value: 'run', label: 'Finished run' },
  { value: 'deployment', label: 'Deployment' },
  { value: 'server', label: 'Running Triton' },
];
const kindHelp: Readonly<Record<SoakKind, string>> = {
  run: 'Triton is started for its model as for the run, and stopped with the soak.',
  deployment: 'It stays in service, and receives this load in addition to that of its clients.',
  server: 'It receives this load in addition to that of its clients. Nothing is installed there.',
};

function DeploymentFields({ text, onChange }: SubjectProps) {
  const list = useDeployments();
  const models = (list ?? []).find(({ id }) => id === text.deployment)?.models ?? [];
  return (
    <div className="row">
      <DeploymentField
        list={list}
        deployment={text.deployment}
        onChange={(deployment) => onChange({ deployment, model: '' })}
      />
      {models.length < 2 ? null : (
        <Select
          label="Model"
          flex={1}
          placeholder="Choose a model"
          data={models.map(({ name }) => name)}
          value={text.model === '' ? null : text.model}
          onChange={(model) => onChange({ model: model ?? '' })}
        />
      )}
    </div>
  );
}

/** The address that was checked, and what it said. */
export interface AskedServer {
  readonly server: ServerDescription | null;
  readonly error: WireError | null;
  readonly isAsking: boolean;
}

const serverText = ({ title, models }: ServerDescription): string =>
  `${title}, ${counted(models.length, 'model')} ready`;

const errorText = (error: WireError): string => `${asSentence(error.message)} ${remedyOf(error)}`;

function ServerFields(props: SubjectProps & { asked: AskedServer; model: ServedModel | null }) {
  const { text, asked, model, onChange } = props;
  const { server, error, isAsking } = asked;
  const isChecked = isAsked(text);
  const check = (): void => onChange({ asked: addressOf(text), times: text.times + 1 });
  return (
    <>
      <CheckedAddress
        url={text.url}
        isChecked={isChecked}
        isAsking={isChecked && isAsking}
        error={isChecked && error !== null ? errorText(error) : null}
        answer={server === null ? null : serverText(server)}
        onChange={(url) => onChange({ url })}
        onCheck={check}
      />
      {isSecure(text.url) ? (
        <TextInput
          label="CA file (PEM)"
          placeholder="the system’s"
          value={text.caFile}
          onChange={onText((caFile) => onChange({ caFile }))}
          onKeyDown={onEnter(check)}
        />
      ) : null}
      {isChecked && server !== null ? (
        <Select
          label="Model"
          searchable
          placeholder="Choose a model"
          nothingFoundMessage="No ready model of this name"
          data={server.models.map(({ name }) => name)}
          value={text.model === '' ? null : text.model}
          onChange={(name) => onChange({ model: name ?? '', shapes: {} })}
        />
      ) : null}
      {(model?.dynamicInputs ?? []).map(({ name, dims }) => {
        const typed = text.shapes[name] ?? '';
        return (
          <TextInput
            key={name}
            label={`Dimensions of ${name}`}
            description={`Without the batch; the model has ${dims.map((dim) => (dim === -1 ? '?' : dim)).join(', ')}.`}
            error={typed !== '' && dimsOf(typed) === null ? 'Use sizes with commas, such as 128, 3.' : null}
            value={typed}
            onChange={onText((dimensions) => onChange({ shapes: { ...text.shapes, [name]: dimensions } }))}
          />
        );
      })}
    </>
  );
}

/** Whose memory is read: the model of a run, a deployment, or any Triton by its address. */
export function SoakSubject(props: SubjectProps & { asked: AskedServer; model: ServedModel | null }) {
  const { text, onChange } = props;
  return (
    <>
      <SegmentedControl
        aria-label="Subject"
        data={[...kinds]}
        value={text.kind}
        onChange={(value) => {
          const kind = kinds.find((one) => one.value === value)?.value ?? 'run';
          onChange(withKind(text, kind));
        }}
      />
      <p className="dim">{kindHelp[text.kind]}</p>
      {text.kind === 'run' ? (
        <RunField runId={text.runId} onChange={(run) => onChange({ runId: run?.runId ?? '' })} />
      ) : null}
      {text.kind === 'deployment' ? <DeploymentFields text={text} onChange={onChange} /> : null}
      {text.kind === 'server' ? <ServerFields {...props} /> : null}
    </>
  );
}
