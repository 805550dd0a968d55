// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import type { ReportSettings, ReportSubject } from '../../../../../main/contract/settings/report-settings';
import { ReportDialog } from '../../../../../renderer/components/report/report-dialog';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

const settings: ReportSettings = {
  ...{ title: 'For hall 4', customer: '', author: 'Jane Doe', notes: '' },
  ...{ logo: null, without: ['commands', 'steps'] },
};

async function shown(subject: ReportSubject) {
  const done: string[] = [];
  const double = createClientDouble({ 'reports.change': () => null });
  mounted = await mount(
    double.client,
    <ReportDialog
      subject={subject}
      settings={settings}
      onSavePdf={() => {
        done.push('saved');
        return Promise.resolve();
      }}
      onClose={() => done.push('closed')}
    />,
  );
  const field = (label: string): HTMLInputElement => {
    const found = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label);
    const input = document.getElementById(found?.htmlFor ?? '');
    if (!(input instanceof HTMLInputElement)) throw new Error(`no field ${label}`);
    return input;
  };
  const type = async (label: string, text: string): Promise<void> => {
    await act(async () => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field(label), text);
      field(label).dispatchEvent(new Event('input', { bubbles: true }));
      await Promise.resolve();
    });
  };
  return { ...double, done, field, type, view: mounted };
}

it('keeps what was typed for a comparison, with whole parts of the contents, and then saves the PDF', async () => {
  const subject = { kind: 'comparison', runIds: ['a', 'b'] } as const;
  const { calls, done, field, type, view } = await shown(subject);
  await type('Customer', 'ACME Works');
  // The sections of a part are those of a run's report.
  expect(() => field('Commands')).toThrow('no field');
  expect([field('Results').checked, field('Record').checked]).toEqual([true, true]);
  await view.click(field('Record'));
  expect(field('Record').checked).toBe(false);
  await view.click(view.button('Save PDF…'));
  const [[name, input] = []] = calls;
  expect(name).toBe('reports.change');
  expect(input).toMatchObject({
    subject,
    change: { title: 'For hall 4', customer: 'ACME Works', author: 'Jane Doe' },
  });
  expect((input as { change: { without: string[] } }).change.without.toSorted()).toEqual(
    ['commands', 'environment', 'parameters', 'reading', 'steps'].toSorted(),
  );
  expect(input).not.toHaveProperty('change.logo');
  expect(done).toEqual(['saved', 'closed']);
});

it('has the sections of a run, of which a part shows that some are left out', async () => {
  const { calls, done, field, view } = await shown({ kind: 'run', runId: 'a' });
  expect([field('Steps').checked, field('Environment').checked, field('Accuracy').checked]).toEqual([
    ...[false, true, true],
  ]);
  expect(field('Record').indeterminate).toBe(true);
  await view.click(field('Steps'));
  await view.click(view.button('Write reports'));
  expect(calls[0]?.[1]).toMatchObject({ change: { without: ['commands'] } });
  expect(done).toEqual(['closed']);
});
