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

/** One package's notice: what it is, under which licence, and the text of that licence. */
export function npmNotice(manifest, texts) {
  const licence = licenceOf(manifest);
  const shown = texts.length > 0 ? texts : [standardTexts[licence]].filter((text) => text !== undefined);
  if (licence === '' || shown.length === 0) {
    throw new SetupError(
      `The bundled package ${manifest.name} has no licence that can be handed on ("${licence}", without a file of ` +
        'it): take the package out, or add the text of its licence to scripts/lib/package/notices.mjs.',
    );
  }
  const author = texts.length > 0 ? undefined : authorOf(manifest);
  const head = `${manifest.name} ${manifest.version}\nLicence: ${licence}`;
  return [head, ...(author === undefined ? [] : [`Copyright (c) ${author}`]), ...shown]
    .join('\n\n')
    .trimEnd();
}

function noticeOfFolder(root, folder) {
  const at = join(root, folder);
  const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  const names = readdirSync(at, { withFileTypes: true })
    .filter((entry) => entry.isFile() && textFile.test(entry.name))
    .map(({ name }) => name)
    .sort();
  return npmNotice(
    manifest,
    names.map((name) => readFileSync(join(at, name), 'utf8').replaceAll('\r\n', '\n').trim()),
  );
}

/** The packages that a requirements file names: name, version or range, and when it is taken. */
export function requirementsOf(text) {
  return text.split('\n').flatMap((line) => {
    const [what, condition] = line.replace(/#.*|--hash=\S+/g, '').split(';');
    const found = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(.*)$/.exec(what.trim());
    if (found === null) return [];
    const [, name, version] = found;
    return [{ name, version: version.replace(/^==/, '').trim(), condition: condition?.trim() ?? '' }];
  });
}

/** @param {Record<string, string>} licences what the installed packages say, by name in lower case */
function pypiNotices(files, licences) {
  const lines = files.flatMap(requirementsOf).map(({ name, version, condition }) => {
    const licence = licences[name.toLowerCase()] ?? 'as its own metadata says';
    return `${[name, version].join(' ').trim()}${condition && ` (${condition})`}: ${licence}`;
  });
  return [...new Set(lines)].sort().join('\n');
}

/**
 * The text of THIRD-PARTY-NOTICES.txt.
 * @param {object} options
 * @param {string} options.root folder with node_modules and out/
 * @param {string[]} options.beside packages that are not bundled and come along as they are
 * @param {string[]} options.requirements texts of the requirement files
 * @param {Record<string, string>} options.licences of the Python packages, where known
 * @param {string} options.electron version of the runtime
 * @param {string[]} options.programs notices of other programs that come along
 */
export function thirdPartyNotices({ root, beside, requirements, licences, electron, programs }) {
  const lists = readdirSync(join(root, 'out', 'bundled')).map((name) =>
    JSON.parse(readFileSync(join(root, 'out', 'bundled', name), 'utf8')),
  );
  const notices = [...new Set([...lists.flat(), ...beside])]
    .sort()
    .map((folder) => noticeOfFolder(root, folder));
  return [
    'Third-party software in Triton Workbench. Written by the build of the package.',
    `Electron ${electron} with Chromium and Node.js: see LICENSE.electron.txt and LICENSES.chromium.html beside the program.`,
    'Python packages that are not in this package and that the workbench installs from PyPI when it sets itself up:',
    pypiNotices(requirements, licences),
    'Programs in this package:',
    ...programs,
    `npm packages in this package (${new Set(notices).size}):`,
    [...new Set(notices)].join(`\n\n${rule}\n\n`),
    '',
  ].join(`\n\n${rule}\n\n`);
}
