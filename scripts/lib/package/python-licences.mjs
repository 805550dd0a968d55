import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { requirementsOf } from './notices.mjs';

/** The Python packages that the set-up and the images install: files below resources/requirements. */
export const requirementFiles = [
  'locked/runtime',
  'locked/cuda',
  'locked/tensorflow',
  'locked/transformers',
  'locked/trees',
  'perf-analyzer',
  'perf-analyzer-2.60',
  'client-gpu',
];

/** By name in lower case with "-". In a file, so that a package does not depend on what is installed where it is made. */
export const licencesFile = join(import.meta.dirname, 'python-licences.json');

export const readLicences = () => JSON.parse(readFileSync(licencesFile, 'utf8'));

/** As the metadata of packages have it: "_", "." and "-" are the same. */
export const normalName = (name) => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

/**
 * The licences of the packages that `texts` name, sorted: what is `found`, otherwise what is `known`; a package of
 * which neither says anything is left out. Pure.
 * @param {string[]} texts of requirements files
 * @param {Record<string, string>} known @param {Record<string, string>} found by normal name
 */
export function licencesOf(texts, known, found) {
  const names = texts.flatMap(requirementsOf).map(({ name }) => normalName(name));
  const all = { ...known, ...found };
  return Object.fromEntries(
    [...new Set(names)]
      .sort()
      .filter((name) => all[name])
      .map((name) => [name, all[name]]),
  );
}

const program = `
import json
import re
from importlib.metadata import distributions

def licence(about):
    if about.get("License-Expression"):
        return about["License-Expression"]
    classes = [c.split("::")[-1].strip() for c in about.get_all("Classifier", []) if c.startswith("License ::")]
    named = [c for c in classes if c not in ("OSI Approved", "Other/Proprietary License")]
    field = (about.get("License") or "").strip().split("\\n")[0]
    return ", ".join(named) or field or ", ".join(c for c in classes if c != "OSI Approved")

found = {re.sub(r"[-_.]+", "-", d.metadata["Name"].lower()): licence(d.metadata) for d in distributions()}
print(json.dumps({name: text for name, text in found.items() if text}))
`;

/** What the installed Python packages say of their licences, by name in lower case with "-"; of several environments. */
export async function pythonLicences(interpreters) {
  const licences = {};
  for (const python of interpreters.filter((path) => existsSync(path))) {
    const said = await command(python, ['-c', program], { collect: true });
    if (said.code === 0) Object.assign(licences, JSON.parse(said.output));
  }
  return licences;
}
