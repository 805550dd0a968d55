import { createHash } from 'node:crypto';
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';

const encoded = (name) => name.split('/').map(encodeURIComponent).join('/');
const purlType = { npm: 'npm', pypi: 'pypi', program: 'generic' };
const purlOf = ({ kind, name, version }) =>
  `pkg:${purlType[kind]}/${encoded(name.toLowerCase())}@${encodeURIComponent(version)}`;

/** An SPDX id, an expression of such ids, or the words of the package itself; null where nothing is known. */
function licenseOf(text) {
  if (text === '' || text === 'as its own metadata says') return null;
  if (SPDX.isSupportedSpdxId(text)) return new Models.SpdxLicense(SPDX.fixupSpdxId(text));
  const ids = text.split(/[()\s]+|\b(?:AND|OR|WITH)\b/).filter(Boolean);
  return ids.every((id) => SPDX.isSupportedSpdxId(id))
    ? new Models.LicenseExpression(text)
    : new Models.NamedLicense(text);
}

/** Where npm had the package from, with the checksum of that archive. @param lock package-lock.json */
function distribution(software, lock) {
  const found = Object.entries(lock.packages).find(
    ([path, { version }]) => path.endsWith(`node_modules/${software.name}`) && version === software.version,
  )?.[1];
  const [, sum] = /^sha512-(\S+)/.exec(found?.integrity ?? '') ?? [];
  if (found?.resolved === undefined || sum === undefined) return [];
  const hashes = new Models.HashDictionary([
    [Enums.HashAlgorithm['SHA-512'], Buffer.from(sum, 'base64').toString('hex')],
  ]);
  return [new Models.ExternalReference(found.resolved, Enums.ExternalReferenceType.Distribution, { hashes })];
}

function componentOf(software, lock) {
  const { kind, name, version, license } = software;
  const purl = purlOf(software);
  const type = kind === 'program' ? Enums.ComponentType.Application : Enums.ComponentType.Library;
  const component = new Models.Component(type, name, { version, purl, bomRef: purl });
  const known = licenseOf(license);
  if (known !== null) component.licenses.add(known);
  if (kind === 'npm') for (const one of distribution(software, lock)) component.externalReferences.add(one);
  if (kind === 'pypi') {
    // It is not in the package: the set-up installs it, by the hashes of the lock.
    component.scope = Enums.ComponentScope.Optional;
    component.properties.add(new Models.Property('triton-workbench:installed-by', 'set-up'));
  }
  return component;
}

/** A serial number that is the same for the same content, in the form of a UUID of version 8. */
function serialOf(purls) {
  const hex = createHash('sha256').update(purls.join('\n')).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * The bill of materials of a package (CycloneDX 1.6, JSON): what is in it, and what its set-up installs. Software whose
 * version is a range is not listed. The same content gives the same text.
 * @param {object} options
 * @param {{name: string, version: string}} options.identity
 * @param {import('./notices.mjs').Software[]} options.software
 * @param {object} options.lock package-lock.json
 * @param {number} options.epoch seconds, of the sources
 */
export function billOfMaterials({ identity, software, lock, epoch }) {
  const bom = new Models.Bom();
  const exact = software.filter(({ version }) => /^\d[\w.+-]*$/.test(version));
  const { name, version } = identity;
  const purl = `pkg:generic/${name}@${encodeURIComponent(version)}`;
  bom.metadata.timestamp = new Date(epoch * 1000);
  bom.metadata.component = new Models.Component(Enums.ComponentType.Application, name, {
    version,
    purl,
    bomRef: purl,
  });
  bom.metadata.component.licenses.add(new Models.SpdxLicense('Apache-2.0'));
  bom.serialNumber = serialOf([purl, ...exact.map(purlOf)]);
  for (const one of exact) bom.components.add(componentOf(one, lock));
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const text = new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 });
  return `${text}\n`;
}
