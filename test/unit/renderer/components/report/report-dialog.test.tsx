// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../main/contract/errors';
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

/** What the person chooses. */
let file = '';

async function shown(subject: ReportSubject) {
  const done: string[] = [];
  const double = createClientDouble({
    'reports.change': () => null,
    'desktop.choosePath': () => ({ path: file }),
    'reports.checkLogo': (input) => {
      const { path } = input as { readonly path: string };
      if (path.endsWith('.png')) return null;
      const message = 'The logo is not used: it is not a PNG, JPEG or SVG file';
      throw new WorkbenchError('input-invalid', message, { where: path, remedy: 'Choose a PNG file.' });
    },
  });
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

it('refuses a logo that is not a picture when it is chosen, and keeps the one before', async () => {
  const { calls, view } = await shown({ kind: 'run', runId: 'a' });
  const said = () => document.querySelector('[role="alert"]')?.textContent ?? null;
  file = '/pictures/acme.png';
  await view.click(view.button('Choose…'));
  expect(document.body.textContent).toContain('Logo: acme.png');
  file = '/notes/acme.txt';
  await view.click(view.button('Choose…'));
  expect(said()).toBe(
    'acme.txt: The logo is not used: it is not a PNG, JPEG or SVG file. Choose a PNG file.',
  );
  expect(document.body.textContent).toContain('Logo: acme.png');
  await view.click(view.button('Write reports'));
  expect(calls.at(-1)).toMatchObject(['reports.change', { change: { logo: '/pictures/acme.png' } }]);
});

it('forgets what was refused once another file is taken or the logo is removed', async () => {
  const { view } = await shown({ kind: 'run', runId: 'a' });
  const isSaid = () => document.querySelector('[role="alert"]') !== null;
  for (const name of ['Choose…', 'Remove']) {
    file = '/notes/acme.txt';
    await view.click(view.button('Choose…'));
    expect(isSaid()).toBe(true);
    file = '/pictures/acme.png';
    await view.click(view.button(name));
    expect(isSaid()).toBe(false);
  }
});
