// @vitest-environment jsdom
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { Keys } from '../../../../../../main/contract/trees';
import {
  type FieldForm,
  FieldFormProvider,
} from '../../../../../../renderer/views/new-deployment/controls/field-form';
import { FieldFrame } from '../../../../../../renderer/views/new-deployment/controls/field-frame';
import { FieldInput } from '../../../../../../renderer/views/new-deployment/controls/field-input';
import type { Field } from '../../../../../../renderer/views/new-deployment/fields/field';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';
import { typeInto } from '../../../type-into';

vi.mock(import('../../../../../../renderer/views/new-deployment/controls/field-frame'), async (original) => {
  const real = await original();
  return { ...real, FieldFrame: vi.fn(real.FieldFrame) };
});

const named = (name: string): Field => ({
  keys: ['performance', name],
  label: name,
  term: name,
  help: '',
  control: { kind: 'text', placeholder: '' },
});
const fields = [named('first'), named('second')];

/** Fields of a form whose object is another after each change, as that of a draft. */
function Form({ onChange }: { onChange: (keys: Keys, value: unknown, count: number) => void }) {
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>({ first: 'a', second: 'b' });
  const [count, setCount] = useState(0);
  const form: FieldForm = {
    name: 'field',
    problems: values['second'] === 'bad' ? [problem] : [],
    valueAt: (keys) => values[keys[1] ?? ''],
    defaultOf: () => 'usual',
    isChanged: (keys) => values[keys[1] ?? ''] !== 'usual',
    change: (keys, value) => {
      onChange(keys, value, count);
      setCount(count + 1);
      setValues({ ...values, [keys[1] ?? '']: value });
    },
    reset: () => undefined,
  };
  return (
    <FieldFormProvider value={form}>
      {fields.map((field) => (
        <FieldInput key={field.label} field={{ ...field }} />
      ))}
    </FieldFormProvider>
  );
}

const problem = {
  field: 'performance.second.1',
  severity: 'problem',
  message: 'It is bad',
  remedy: null,
} as const;

it('renders a field that is written in, and no other', async () => {
  const onChange = vi.fn<(keys: Keys, value: unknown, count: number) => void>();
  const { page, unmount } = await mount(createClientDouble({}).client, <Form onChange={onChange} />);
  const rendered = () => {
    const labels = vi.mocked(FieldFrame).mock.calls.map(([{ field }]) => field.label);
    vi.mocked(FieldFrame).mockClear();
    return new Set(labels);
  };
  expect(rendered()).toEqual(new Set(['first', 'second']));
  const { value } = await typeInto('second', 'bad');
  expect(rendered()).toEqual(new Set(['second']));
  expect(page.textContent).toContain('It is bad');
  expect(value).toBe('bad');
  // One that was not rendered again still does what the present form does.
  await typeInto('first', 'c');
  expect(rendered()).toEqual(new Set(['first']));
  expect(onChange.mock.calls).toEqual([
    [['performance', 'second'], 'bad', 0],
    [['performance', 'first'], 'c', 1],
  ]);
  unmount();
});
