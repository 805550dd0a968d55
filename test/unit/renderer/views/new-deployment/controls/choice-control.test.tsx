// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { defaultSettings, type Settings } from '../../../../../../main/contract/settings/settings';
import { ChoiceField } from '../../../../../../renderer/views/new-deployment/controls/choice-control';
import {
  type FieldForm,
  FieldFormProvider,
} from '../../../../../../renderer/views/new-deployment/controls/field-form';
import type { Option } from '../../../../../../renderer/views/new-deployment/fields/field';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';

const form: FieldForm = {
  name: 'field',
  problems: [],
  valueAt: () => 'local',
  defaultOf: () => 'local',
  isChanged: () => false,
  change: () => undefined,
  reset: () => undefined,
};

async function drawn(options: readonly Option[], value = 'local', codes?: Settings['window.fieldCodes']) {
  const field = (
    <FieldFormProvider value={form}>
      <ChoiceField
        keys={['engine', 'kind']}
        label="Engine"
        help=""
        options={options}
        cards="list"
        value={value}
        onChoose={() => undefined}
      />
    </FieldFormProvider>
  );
  const { page, unmount } = await mount(createClientDouble({}).client, field, ({ settings }) => {
    if (codes !== undefined) {
      settings.setState({ state: { values: { ...defaultSettings, 'window.fieldCodes': codes } } as never });
    }
    return Promise.resolve();
  });
  const radios = [...page.querySelectorAll<HTMLInputElement>('input[type="radio"]')].map((one) => one.value);
  const others = page.querySelector('details');
  const shown = {
    radios,
    text: page.textContent,
    folded:
      others === null ? null : { isOpen: others.open, line: others.querySelector('summary')?.textContent },
    codes: [...page.querySelectorAll('.field-term')].map(({ textContent }) => textContent),
  };
  unmount();
  return shown;
}

const local: Option = { value: 'local', label: 'Local' };
const docker: Option = { value: 'docker', label: 'Docker', note: 'In containers.' };
const slurm: Option = { value: 'slurm', label: 'Slurm', why: 'Not installed.' };

it('shows what can be chosen, and the rest in one line with its reason', async () => {
  const both = await drawn([local, docker, slurm, { ...slurm, value: 'kubernetes', label: 'Kubernetes' }]);
  expect(both.radios).toEqual(['local', 'docker']);
  expect(both.text).toContain('Other (2): Slurm, Kubernetes. Not installed.');
  expect(both.folded).toBeNull();
});

it('separates names that have commas by another sign', async () => {
  const plans = ['FP32', 'FP16'].map((name) => ({ ...slurm, value: name, label: `TensorRT plan, ${name}` }));
  const { text } = await drawn([local, ...plans]);
  expect(text).toContain('Other (2): TensorRT plan, FP32; TensorRT plan, FP16. Not installed.');
});

it('folds several reasons', async () => {
  const two = await drawn([local, slurm, { ...docker, why: 'No Docker daemon.' }]);
  expect(two.folded).toEqual({ isOpen: false, line: 'Other (2): Slurm, Docker' });
  expect(two.text).toContain('DockerNo Docker daemon.');
});

it('keeps what is chosen though it cannot be, with its reason', async () => {
  const chosen = await drawn([local, slurm], 'slurm');
  expect(chosen.radios).toEqual(['local', 'slurm']);
  expect(chosen.text).toContain('Not installed.');
  expect(chosen.text).not.toContain('Other');
});

it('has no line where everything can be chosen', async () => {
  expect((await drawn([local, docker])).text).not.toContain('Other');
});

it('shows the code of the field where the settings ask for it, and not on the simple page', async () => {
  expect((await drawn([local])).codes).toEqual([]);
  expect((await drawn([local], 'local', 'on')).codes).toEqual(['engine']);
  expect((await drawn([local], 'local', 'off')).codes).toEqual([]);
});
