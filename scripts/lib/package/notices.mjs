import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../say.mjs';

const rule = '-'.repeat(100);
const textFile = /^(?:(?:un)?licen[cs]e|copying|notice|copyright)[^/]*$/i;

/** Texts of licences whose packages name them and carry no file of them. */
const standardTexts = {
  MIT:
    'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated ' +
    'documentation files (the "Software"), to deal in the Software without restriction, including without limitation ' +
    'the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and ' +
    'to permit persons to whom the Software is furnished to do so, subject to the following conditions:\n\n' +
    'The above copyright notice and this permission notice shall be included in all copies or substantial portions of ' +
    'the Software.\n\n' +
    'THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO ' +
    'THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE ' +
    'AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF ' +
    'CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS ' +
    'IN THE SOFTWARE.',
  ISC:
    'Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby ' +
    'granted, provided that the above copyright notice and this permission notice appear in all copies.\n\n' +
    'THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ' +
    'ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, ' +
    'DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, ' +
    'WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE ' +
    'USE OR PERFORMANCE OF THIS SOFTWARE.',
};

const authorOf = ({ author }) =>
  typeof author === 'object' ? author?.name : author?.replace(/ *[<(].*/, '');

/** What a package.json says of the licence, in today's form or in the one before it. */
export const licenceOf = ({ license, licenses }) =>
  typeof license === 'string'
    ? license
    : [license ?? licenses ?? []]
        .flat()
        .map(({ type }) => type)
        .join(' OR ');

/**
 * Software that the package has in it, or that its set-up installs.
 * @typedef {{kind: 'program' | 'npm' | 'pypi', name: string, version: string, license: string, text: string}} Software
 *   `text`: of the license; empty where it comes with the installed package
 */

/** A bundled package with the texts of its licence files. @returns {Software} */
export function npmSoftware(manifest, texts) {
  const license = licenceOf(manifest);
  const shown = texts.length > 0 ? texts : [standardTexts[license]].filter((text) => text !== undefined);
  if (license === '' || shown.length === 0) {
    throw new SetupError(
      `The bundled package ${manifest.name} has no licence that can be handed on ("${license}", without a file of ` +
        'it): take the package out, or add the text of its licence to scripts/lib/package/notices.mjs.',
    );
  }
  const author = texts.length > 0 ? undefined : authorOf(manifest);
  const text = [...(author === undefined ? [] : [`Copyright (c) ${author}`]), ...shown]
    .join('\n\n')
    .trimEnd();
  return { kind: 'npm', name: manifest.name, version: manifest.version, license, text };
}

const noticeOf = ({ name, version, license, text }) => `${name} ${version}\nLicence: ${license}\n\n${text}`;

function softwareOfFolder(root, folder) {
  const at = join(root, folder);
  const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  const names = readdirSync(at, { withFileTypes: true })
    .filter((entry) => entry.isFile() && textFile.test(entry.name))
    .map(({ name }) => name)
    .sort();
  return npmSoftware(
    manifest,
    names.map((name) => readFileSync(join(at, name), 'utf8').replaceAll('\r\n', '\n').trim()),
  );
}

/** The packages that a requirements file names: name, version or range, and when it is taken. */
export function requirementsOf(text) {
  return text.split('\n').flatMap((line) => {
    const [what, condition] = line.replace(/#.*|--hash=\S+|\\$/g, '').split(';');
    const found = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(.*)$/.exec(what.trim());
    if (found === null) return [];
    const [, name, version] = found;
    return [{ name, version: version.replace(/^==/, '').trim(), condition: condition?.trim() ?? '' }];
  });
}

const byName = (a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1);

const once = (software) => [...new Map(software.map((one) => [`${one.name} ${one.version}`, one])).values()];

/**
 * The npm packages of the bundles and those beside them, each once.
 * @param {{root: string, beside: string[]}} options root: folder with node_modules and out/; beside: packages that are
 *   not bundled and come along as they are
 * @returns {Software[]}
 */
export function bundledSoftware({ root, beside }) {
  const lists = readdirSync(join(root, 'out', 'bundled')).map((name) =>
    JSON.parse(readFileSync(join(root, 'out', 'bundled', name), 'utf8')),
  );
  return once([...lists.flat(), ...beside].map((folder) => softwareOfFolder(root, folder))).sort(byName);
}

/**
 * The Python packages of requirement files, each version once.
 * @param {string[]} files texts of the files
 * @param {Record<string, string>} licences what the packages say, by name in lower case with "-"
 * @returns {Software[]}
 */
export const pythonSoftware = (files, licences) =>
  once(
    files.flatMap(requirementsOf).map(({ name, version }) => ({
      kind: 'pypi',
      name,
      version,
      license: licences[name.toLowerCase().replaceAll(/[-_.]+/g, '-')] ?? 'as its own metadata says',
      text: '',
    })),
  ).sort(byName);

/**
 * The text of THIRD-PARTY-NOTICES.txt.
 * @param {Software[]} software
 * @param {string} electron version of the runtime
 */
export function thirdPartyNotices(software, electron) {
  const of = (kind) => software.filter((one) => one.kind === kind);
  return [
    'Third-party software in Triton Workbench. Written by the build of the package.',
    `Electron ${electron} with Chromium and Node.js: see LICENSE.electron.txt and LICENSES.chromium.html beside the program.`,
    'Python packages that are not in this package and that the workbench installs from PyPI when it sets itself up:',
    of('pypi')
      .map(({ name, version, license }) => `${[name, version].join(' ').trim()}: ${license}`)
      .join('\n'),
    'Programs in this package:',
    ...of('program').map(noticeOf),
    `npm packages in this package (${of('npm').length}):`,
    of('npm').map(noticeOf).join(`\n\n${rule}\n\n`),
    '',
  ].join(`\n\n${rule}\n\n`);
}
