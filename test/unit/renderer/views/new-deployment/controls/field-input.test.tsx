// @vitest-environment jsdom
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { Keys } from '../../../../../../main/contract/trees';
import {
  type FieldForm,
  FieldFormProvider,
} from '../../../../../../renderer/views/new-deployment/controls/field-form';
import { FieldInput } from '../../../../../../renderer/views/new-deployment/controls/field-input';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';
import { typeInto } from '../../../type-into';

const problem = { field: 'model.second.1', severity: 'problem', message: 'It is bad', remedy: null } as const;

type OnChange = (keys: Keys, value: unknown, count: number) => void;

/** A form whose object is another after each change, as that of a draft. */
function Form({ names, onChange }: { names: readonly string[]; onChange: OnChange }) {
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>({});
  const [count, setCount] = useState(0);
  const form: FieldForm = {
    name: 'field',
    problems: values['second'] === 'bad' ? [problem] : [],
    valueAt: (keys) => values[keys[1] ?? ''],
    defaultOf: () => 'usual',
    isChanged: (keys) => values[keys[1] ?? ''] !== undefined,
    change: (keys, value) => {
      onChange(keys, value, count);
      setCount(count + 1);
      setValues({ ...values, [keys[1] ?? '']: value });
    },
    reset: () => undefined,
  };
  return (
    <FieldFormProvider value={form}>
      {names.map((name) => (
        <FieldInput
          key={name}
          field={{
            keys: ['model', name],
            label: name,
            term: name,
            help: '',
            control: { kind: 'text', placeholder: '' },
          }}
        />
      ))}
    </FieldFormProvider>
  );
}

it('shows what is typed and what is wrong with it, and does what the present form does', async () => {
  const onChange = vi.fn<OnChange>();
  const form = <Form names={['first', 'second']} onChange={onChange} />;
  const { page, unmount } = await mount(createClientDouble({}).client, form);
  const { value } = await typeInto('second', 'bad');
  expect(value).toBe('bad');
  expect(page.textContent).toContain('It is bad');
  // This one was not rendered since the first change.
  await typeInto('first', 'c');
  expect(onChange.mock.calls).toEqual([
    [['model', 'second'], 'bad', 0],
    [['model', 'first'], 'c', 1],
  ]);
  unmount();
});

/** How often a key in one field has fields ask for the settings, as each does when it is rendered. */
async function asksOf(names: readonly string[]): Promise<number> {
  const { workbench, unmount } = await mount(
    createClientDouble({}).client,
    <Form names={names} onChange={() => undefined} />,
  );
  const asks = vi.spyOn(workbench.settings, 'getState');
  await typeInto('first', 'a');
  unmount();
  return asks.mock.calls.length;
}

it('renders the field that is written in, and no other', async () => {
  const many = Array.from({ length: 40 }, (_none, at) => `other ${at}`);
  const few = await asksOf(['first', 'second']);
  expect(few).toBeGreaterThan(0);
  expect(await asksOf(['first', ...many])).toBe(few);
});
