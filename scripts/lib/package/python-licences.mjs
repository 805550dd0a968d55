import { existsSync } from 'node:fs';
import { command } from '../command.mjs';

const program = `
import json
import re
from importlib.metadata import distributions

def licence(about):
    if about.get("License-Expression"):
        return about["License-Expression"]
    classes = [c.split("::")[-1].strip() for c in about.get_all("Classifier", []) if c.startswith("License ::")]
    return ", ".join(classes) or (about.get("License") or "").strip().split("\\n")[0]

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
