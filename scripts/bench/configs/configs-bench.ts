import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire } from '../../../main/contract/errors';
import { strictComplaint } from '../../../main/triton/config/config-strict';
import { say } from '../bench-facts';
import { option } from '../option';
import { addedAndRemoved, damageOf, fieldChanges } from './edited-fields';

const folder = option('folder', '');
const of = option('of', folder);
const outFile = option('out', '');

interface Outcome {
  readonly path: string;
  /** Why it is not read; null: it is. */
  readonly refused: string | null;
  readonly changes: number;
  readonly damaged: readonly string[];
  /** A field was added and every byte of the file stayed; null: it has all of them. */
  readonly added: boolean | null;
}

async function outcomeOf(path: string): Promise<Outcome> {
  const bytes = await readFile(join(folder, path));
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) {
    return { path, refused: 'not UTF-8', changes: 0, damaged: [], added: null };
  }
  try {
    const complaint = strictComplaint(text);
    if (complaint !== null) throw complaint;
    const changes = fieldChanges(text);
    const damaged = changes.flatMap((change) => {
      const damage = damageOf(text, change);
      return damage === null ? [] : [`${change.path}: ${damage}`];
    });
    return { path, refused: null, changes: changes.length, damaged, added: addedAndRemoved(text) };
  } catch (error) {
    const { where, message } = toWire(error);
    return { path, refused: `${where ?? path}: ${message}`, changes: 0, damaged: [], added: null };
  }
}

if (folder === '') throw new Error('--folder DIR names the folder with the configurations');
const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const paths = entries
  .filter((entry) => entry.isFile() && entry.name.endsWith('.pbtxt'))
  .map((entry) => join(entry.parentPath, entry.name).slice(folder.replace(/\/?$/, '/').length))
  .sort();
const outcomes: Outcome[] = [];
for (const path of paths) outcomes.push(await outcomeOf(path));

const read = outcomes.filter(({ refused }) => refused === null);
const refused = outcomes.filter((one) => one.refused !== null);
const damaged = outcomes.flatMap((one) => one.damaged.map((what) => `${one.path}: ${what}`));
const lost = read.filter(({ added }) => added === false);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const document = [
  '# Configurations of others, changed in one field',
  '',
  'Written by `npm run bench -- configs`. Each config.pbtxt of a folder is read, each of its values is changed by itself, and the bytes before and after are',
  'compared: only those of the value may differ. Then a field that the file lacks is added: every byte of the file must still be there.',
  '',
  '| | |',
  '|---|---|',
  `| Date | ${new Date().toISOString().slice(0, 10)} |`,
  `| Folder | ${of} |`,
  `| Files | ${outcomes.length} |`,
  `| Read | ${read.length} |`,
  `| Values changed, one at a time | ${sum(read.map(({ changes }) => changes)).toLocaleString('en-US')} |`,
  `| Changes after which another byte differed | ${damaged.length} |`,
  `| Files with a field added | ${read.filter(({ added }) => added !== null).length} |`,
  `| Of these with another byte changed | ${lost.length} |`,
  '',
  ...(refused.length === 0
    ? []
    : [
        '## Not read',
        '',
        '| file | reason |',
        '|---|---|',
        ...refused.map((one) => `| \`${one.path}\` | ${one.refused ?? ''} |`),
        '',
      ]),
].join('\n');
say(document);
for (const what of damaged) say(what);
for (const { path } of lost) say(`${path}: a byte is lost where a field is added`);
if (outFile !== '') await writeFile(outFile, document);
process.exitCode = outcomes.length > 0 && damaged.length === 0 && lost.length === 0 ? 0 : 1;
