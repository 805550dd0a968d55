import { resolve } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect, it } from 'vitest';

interface Bill {
  readonly components: readonly Readonly<Record<string, unknown>>[];
}
const { billOfMaterials } = (await import(resolve('scripts/lib/package/sbom.mjs'))) as {
  billOfMaterials: (options: object) => string;
};

const text = '';
const software = [
  { kind: 'program', name: 'Electron', version: '45.4.1', license: 'MIT', text },
  { kind: 'npm', name: '@a/b', version: '1.0.0', license: 'MIT OR Apache-2.0', text },
  { kind: 'npm', name: 'c', version: '2.0.0', license: 'As you like', text },
  { kind: 'pypi', name: 'torch', version: '2.13.0', license: 'as its own metadata says', text },
  { kind: 'pypi', name: 'pillow', version: '>=11,<14', license: 'HPND', text },
];
const sum = Buffer.from('0'.repeat(128), 'hex').toString('base64');
const lock = {
  packages: {
    '': { version: '0.1.0' },
    'node_modules/@a/b': {
      version: '1.0.0',
      resolved: 'https://registry.example/@a/b/-/b-1.0.0.tgz',
      integrity: `sha512-${sum}`,
    },
  },
};
const identity = { name: 'triton-workbench', version: '0.1.0', test: false };
const made = (more: object = {}) =>
  billOfMaterials({ identity, software, lock, epoch: 1_700_000_000, ...more });

it('is valid by the schema of CycloneDX 1.6', async () => {
  const problem: unknown = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(made());
  expect(problem).toBeNull();
});

it('names each part by its package URL, with license and checksum where they are known', () => {
  const { components } = JSON.parse(made()) as Bill;
  const by = (purl: string) => components.find((one) => one['purl'] === purl);
  expect(components).toHaveLength(4);
  expect(by('pkg:npm/%40a/b@1.0.0')).toMatchObject({
    licenses: [{ expression: 'MIT OR Apache-2.0' }],
    externalReferences: [{ type: 'distribution', hashes: [{ alg: 'SHA-512', content: '0'.repeat(128) }] }],
  });
  expect(by('pkg:npm/c@2.0.0')).toMatchObject({ licenses: [{ license: { name: 'As you like' } }] });
  expect(by('pkg:generic/electron@45.4.1')).toMatchObject({ licenses: [{ license: { id: 'MIT' } }] });
  // The set-up installs it: it is not in the package.
  expect(by('pkg:pypi/torch@2.13.0')).toMatchObject({ scope: 'optional' });
  expect(by('pkg:pypi/torch@2.13.0')).not.toHaveProperty('licenses');
});

it('is the same for the same content, and has another serial number for another', () => {
  expect(made()).toBe(made());
  const serial = (bill: string) => (JSON.parse(bill) as { serialNumber: string }).serialNumber;
  expect(serial(made({ software: software.slice(1) }))).not.toBe(serial(made()));
});
