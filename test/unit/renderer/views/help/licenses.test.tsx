// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import type { LicensedSoftware } from '../../../../../main/contract/calls/application-calls';
import { Licenses } from '../../../../../renderer/views/help/licenses';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

const software: readonly LicensedSoftware[] = [
  { kind: 'program', name: 'uv', version: '1.0', license: 'MIT OR Apache-2.0', text: 'Text of uv' },
  { kind: 'npm', name: 'zod', version: '4.0.0', license: 'MIT', text: 'Text of zod' },
  { kind: 'pypi', name: 'numpy', version: '1.26.4', license: 'BSD', text: '' },
];

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

async function shown(found: readonly LicensedSoftware[] | null): Promise<string> {
  const { client } = createClientDouble({ 'support.licenses': () => ({ software: found }) });
  mounted = await mount(client, <Licenses />);
  await act(async () => {
    mounted?.workbench.overlay.getState().show('licenses');
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  });
  return document.body.textContent;
}

it('lists what is in the package and what its set-up installs, with the texts', async () => {
  const text = await shown(software);
  expect(text).toMatch(/Programs in this package \(1\)uv 1\.0 MIT OR Apache-2\.0Text of uv/);
  expect(text).toMatch(/JavaScript packages in this package \(1\)zod 4\.0\.0 MITText of zod/);
  expect(text).toContain('numpy 1.26.4 BSDThe text of the license comes with the installed package.');
});

it('a clone says where its software is named', async () => {
  expect(await shown(null)).toContain('In a clone, see package-lock.json');
});
