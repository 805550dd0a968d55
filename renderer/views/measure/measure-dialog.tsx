import { Button, Modal, Select, Textarea, TextInput } from '@mantine/core';
import { IconPlayerPlay, IconRefresh } from '@tabler/icons-react';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { toWire, type WireError } from '../../../main/contract/errors';
import { remedyOf } from '../../../main/contract/remedy';
import type { ServerDescription } from '../../../main/contract/run/measure-request';
import type { SpecProblem } from '../../../main/contract/run/spec-tools';
import { getAt, type Keys, sameValue, setAt, type Tree, unsetAt } from '../../../main/contract/trees';
import { moreText } from '../../../main/contract/words';
import type { Client } from '../../client';
import { CommandText } from '../../components/copy-button';
import { ErrorPanel } from '../../components/error-panel';
import { asSentence } from '../../format/words';
import { onText } from '../../handlers';
import type { MeasureTarget } from '../../stores/overlay';
import { settingsOf } from '../../stores/settings';
import { onSubmit, useFormWork } from '../../use-form-work';
import { useWorkbench } from '../../workbench';
import { HostChoice } from '../hosts/host-choice';
import { type FieldForm, FieldFormProvider } from '../new-deployment/controls/field-form';
import { problemWithRemedy } from '../new-deployment/controls/field-frame';
import { FieldInput } from '../new-deployment/controls/field-input';
import { type Field, pathOf } from '../new-deployment/fields/field';
import { BudgetField } from '../new-deployment/pages/name-and-budget';
import { isAbout } from '../new-deployment/problems';
import { asksFrontend, endpointKeys, fieldDefaults, measureFields, valueIn } from './measure-fields';
import {
  type Address,
  commandOf,
  emptyForm,
  isSecure,
  type MeasureForm,
  type ReadForm,
  readForm,
  serverOf,
} from './measure-form';

interface ServerQuery {
  readonly server: ServerDescription | null;
  readonly error: WireError | null;
  readonly asking: boolean;
  /** The address that the form begins with, not asked yet. */
  readonly unasked?: boolean;
  /** The address was changed since the last answer. */
  readonly changed?: boolean;
}

const changed: ServerQuery = { server: null, error: null, asking: false, changed: true };

const addressKey = ({ url, host, caFile, headers, fields }: Address): string =>
  [url, host, caFile, headers, asksFrontend({ fields }) ? 'openai' : 'triton']
    .map((part) => part.trim())
    .join('\n');

async function queryServer(client: Client, address: Address): Promise<ServerQuery> {
  if (address.url.trim() === '') return { server: null, error: null, asking: false };
  try {
    const openai = asksFrontend(address) ? { openai: true } : {};
    const server = await client.call('servers.describe', { ...serverOf(address), ...openai });
    return { server, error: null, asking: false };
  } catch (failure) {
    return { server: null, error: toWire(failure), asking: false };
  }
}

function useMeasure(target: MeasureTarget, onDone: () => void) {
  const { client, runs, route, settings } = useWorkbench();
  const [form, setForm] = useState<MeasureForm>(() => ({
    ...emptyForm,
    p99BudgetMs: settingsOf(settings.getState())['deployment.p99BudgetMs'],
    ...target,
  }));
  const [server, setQuery] = useState<ServerQuery>({ server: null, error: null, asking: true });
  const [asked, setAsked] = useState(() => addressKey({ ...emptyForm, ...target }));
  const latest = useRef(addressKey({ ...emptyForm, ...target }));
  const found = useCallback((key: string, next: ServerQuery): void => {
    // The address has changed meanwhile.
    if (latest.current !== key) return;
    setQuery(next);
    const [only, ...others] = next.server?.models ?? [];
    if (only === undefined || others.length > 0) return;
    setForm((before) =>
      before.model === '' && addressKey(before) === key ? { ...before, model: only.name } : before,
    );
  }, []);
  useEffect(() => {
    const first = { ...emptyForm, ...target };
    void queryServer(client, first).then((next) =>
      found(addressKey(first), { ...next, unasked: target.url === undefined }),
    );
  }, [client, target, found]);
  /**
   * @param again asks the same address once more
   * @param part of the form that has just changed
   */
  const ask = (again: boolean, part: Partial<MeasureForm> = {}): void => {
    const address = { ...form, ...part };
    const key = addressKey(address);
    if (!again && asked === key) return;
    setAsked(key);
    latest.current = key;
    setQuery({ server: null, error: null, asking: true });
    void queryServer(client, address).then((next) => found(key, next));
  };
  const isStale = addressKey(form) !== asked;
  const known = isStale ? changed : server;
  const model = known.server?.models.find(({ name }) => name === form.model) ?? null;
  const read = readForm(form, model);
  const { busy, error, begin } = useFormWork();
  const start = (): void => {
    const { request } = read;
    if (request === null) return;
    begin('submit', async () => {
      const { runId } = await client.call('servers.measure', request);
      await runs.getState().load();
      onDone();
      route.getState().go({ page: 'run', runId });
    });
  };
  const change: Change = (part) => setForm((before) => ({ ...before, ...part }));
  /** Enter asks a changed address; otherwise it starts, as everywhere. */
  const onEnter = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Enter' || !isStale) return;
    event.preventDefault();
    ask(true);
  };
  return { form, change, server: known, ask, onEnter, model, read, start, error, busy };
}

function serverText({ title, models, more, listsModels }: ServerDescription): string {
  const count = !listsModels
    ? 'does not list its models'
    : models.length === 0
      ? 'no model is ready'
      : `${models.length} ${models.length === 1 ? 'model' : 'models'} ready`;
  return [title, count, moreText(more, 'model')].filter((part) => part !== null).join(' · ');
}

/** Only an address that somebody chose can be wrong. */
function addressText({
  server,
  error,
  asking,
  unasked = false,
  changed: isChanged = false,
}: ServerQuery): Readonly<Record<'description' | 'error', string | undefined>> {
  if (isChanged) return { description: 'Not checked yet: press Enter or Re-check.', error: undefined };
  // The line stays: what is below it would move away from under a click.
  if (asking) return { description: 'Checking the address…', error: undefined };
  if (error === null)
    return { description: server === null ? undefined : serverText(server), error: undefined };
  return unasked
    ? { description: 'No Triton responds at this address yet.', error: undefined }
    : { description: undefined, error: `${asSentence(error.message)} ${remedyOf(error)}`.trim() };
}

function whyNot(
  found: ServerQuery,
  { request, problems }: ReadForm,
  fields: readonly Field[],
): string | null {
  const at = (name: string): SpecProblem | undefined => problems.find(({ field }) => field === name);
  if (request !== null) return null;
  if (at('model') !== undefined && at('url') === undefined) {
    if (found.changed === true) return 'The address has changed. Check it first.';
    if (found.asking) return 'Asking the server…';
    if (found.server === null) return 'No Triton responds at this address.';
    if (!found.server.listsModels) return 'Enter the name of a model.';
    return found.server.models.length === 0 ? 'The server has no ready model.' : 'Choose a model.';
  }
  const [first] = problems.filter(({ field, severity }) => severity === 'problem' && field !== 'model');
  if (first === undefined) return null;
  const label = serverLabels[first.field] ?? fields.find((field) => isAbout(first, pathOf(field)))?.label;
  // The field shows its own message.
  return label === undefined ? first.message : `Correct the field “${label}” first.`;
}

type Change = (part: Partial<MeasureForm>) => void;

const serverLabels: Readonly<Record<string, string>> = {
  url: 'Triton HTTP address',
  headers: 'Headers',
  via: 'Gateway',
};

/** A list of the server's models; a name where it does not list them. */
function ModelChoice({ form, change, found }: { form: MeasureForm; change: Change; found: ServerQuery }) {
  if (found.server?.listsModels === false) {
    return (
      <TextInput
        label="Model"
        description="The server does not list its models."
        value={form.model}
        onChange={onText((model) => change({ model }))}
      />
    );
  }
  const names = (found.server?.models ?? []).map(({ name }) => name);
  return (
    <Select
      label="Model"
      placeholder={found.asking ? 'Asking the server…' : 'Choose a model'}
      searchable
      allowDeselect={false}
      nothingFoundMessage="No ready model of this name"
      data={[...new Set([...names, ...(form.model === '' ? [] : [form.model])])]}
      value={form.model === '' ? null : form.model}
      onChange={(name) => change({ model: name ?? '' })}
    />
  );
}

function ServerFields(props: {
  form: MeasureForm;
  change: Change;
  found: ServerQuery;
  onAsk: (again: boolean, part?: Partial<MeasureForm>) => void;
  onEnter: (event: KeyboardEvent<HTMLInputElement>) => void;
  problem: string | undefined;
  headersProblem: string | undefined;
}) {
  const { form, change, onAsk, problem, headersProblem } = props;
  const { asking } = props.found;
  const { description, error = problem } = addressText(props.found);
  return (
    <>
      <HostChoice
        value={form.host}
        onChange={(host) => {
          change({ host, model: '' });
          onAsk(false, { host });
        }}
      />
      <TextInput
        label={asksFrontend(form) ? 'OpenAI server address' : serverLabels['url']}
        description={description}
        data-autofocus
        value={form.url}
        error={error}
        onChange={onText((url) => change({ url, model: '' }))}
        onBlur={() => onAsk(false)}
        onKeyDown={props.onEnter}
        rightSectionWidth={108}
        rightSection={
          <Button
            size="compact-xs"
            variant="subtle"
            loading={asking}
            leftSection={<IconRefresh size={12} aria-hidden="true" />}
            onClick={() => onAsk(true)}
          >
            Re-check
          </Button>
        }
      />
      <Textarea
        label={serverLabels['headers']}
        description="Only for a gateway: one per line, sent with every request. Their values are not kept."
        placeholder="Authorization: Bearer …"
        autosize
        minRows={1}
        maxRows={4}
        error={headersProblem}
        value={form.headers}
        onChange={onText((headers) => change({ headers }))}
        onBlur={() => onAsk(false)}
      />
      {isSecure(form.url) ? (
        <TextInput
          label="CA file (PEM)"
          description="Only where the system does not trust the server’s certificate."
          value={form.caFile}
          onChange={onText((caFile) => change({ caFile }))}
          onBlur={() => onAsk(false)}
          onKeyDown={props.onEnter}
        />
      ) : null}
    </>
  );
}

function MeasureFormBody({ target, onDone }: { target: MeasureTarget; onDone: () => void }) {
  const { form, change, server, ask, onEnter, model, read, start, error, busy } = useMeasure(target, onDone);
  const fields = measureFields(form, model);
  const why = whyNot(server, read, fields);
  const { request, problems } = read;
  const textAt = (name: string) => problems.filter(({ field }) => field === name).map(problemWithRemedy)[0];
  const chosen = (keys: Keys) => getAt(form.fields, keys);
  /** Another kind of server has other models. */
  const choose = (keys: Keys, next: Tree): void => {
    const isOther = sameValue(keys, endpointKeys) && asksFrontend({ fields: next }) !== asksFrontend(form);
    change({ fields: next, ...(isOther ? { model: '' } : {}) });
    if (isOther) ask(false, { fields: next });
  };
  const defaultOf = (keys: Keys) => getAt(fieldDefaults, keys);
  const ofFields: FieldForm = {
    name: 'measure',
    problems,
    defaultOf,
    valueAt: (keys) => valueIn(form, keys),
    isChanged: (keys) => chosen(keys) !== undefined && !sameValue(chosen(keys), defaultOf(keys)),
    change: (keys, value) => choose(keys, setAt(form.fields, keys, value)),
    reset: (keys) => choose(keys, unsetAt(form.fields, keys)),
  };
  return (
    <form className="stack" onSubmit={onSubmit(start)}>
      <ServerFields
        form={form}
        change={change}
        found={server}
        problem={textAt('url')}
        headersProblem={textAt('headers')}
        onAsk={ask}
        onEnter={onEnter}
      />
      <ModelChoice form={form} change={change} found={server} />
      <TextInput
        label={serverLabels['via']}
        description="Optional: also measures through this address, in turns, and shows the added latency."
        placeholder="http://localhost:9000"
        value={form.via}
        error={textAt('via')}
        onChange={onText((via) => change({ via }))}
      />
      <FieldFormProvider value={ofFields}>
        <div className="fields measure-load">
          {fields.map((field) => (
            <FieldInput key={pathOf(field)} field={field} />
          ))}
          <BudgetField budgetMs={form.p99BudgetMs} onType={(p99BudgetMs) => change({ p99BudgetMs })} />
        </div>
      </FieldFormProvider>
      {error === null ? null : <ErrorPanel error={error} />}
      {request === null ? null : (
        <CommandText argv={commandOf(request)} note="On the command line, with all further options:" />
      )}
      <Button
        type="submit"
        loading={busy !== null}
        disabled={request === null}
        aria-describedby={why === null ? undefined : 'measure-why'}
        leftSection={<IconPlayerPlay size={14} aria-hidden="true" />}
      >
        Measure
      </Button>
      {why === null ? null : (
        <span className="dim" id="measure-why" role="status">
          {why}
        </span>
      )}
    </form>
  );
}

export function MeasureDialog() {
  const { overlay } = useWorkbench();
  const { measured, close } = useStore(overlay);
  return (
    <Modal opened={measured !== null} onClose={close} size={820} title="Measure a running Triton">
      {measured === null ? null : <MeasureFormBody target={measured} onDone={close} />}
    </Modal>
  );
}
