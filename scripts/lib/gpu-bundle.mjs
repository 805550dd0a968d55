import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { command } from './command.mjs';
import { SetupError } from './say.mjs';

/** What says how a run went; models, weights and tensors stay where they are. */
const kept = new Set(['.jsonl', '.json', '.yaml', '.log', '.pbtxt', '.csv', '.txt']);
/** The cap of a log, and more than a journal has. */
const mostBytes = 64 * 2 ** 20;
/** Raw tensors for load tools, as JSON, and the model repository's own files. */
const leftOut = new Set(['input', 'data', 'work', 'node_modules']);

function copyTexts(from, to) {
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    const status = lstatSync(path);
    if (status.isDirectory()) {
      if (!leftOut.has(name)) copyTexts(path, join(to, name));
    } else if (status.isFile() && kept.has(extname(name)) && status.size <= mostBytes) {
      mkdirSync(to, { recursive: true });
      cpSync(path, join(to, name));
    }
  }
}

/** A folder that becomes one zip file, with what a report of a fault needs. */
export function createBundle(folder) {
  mkdirSync(folder, { recursive: true });
  return {
    add: (name, content) => {
      const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`;
      writeFileSync(join(folder, name), text);
    },
    /** Journal, specification, logs and results of a run folder; null: it has none. */
    addRun: (id, dir) => {
      if (dir !== null && existsSync(dir)) copyTexts(dir, join(folder, 'runs', id));
    },
    /** Packs the folder into `file` and removes it. */
    pack: async (python, file) => {
      const packed = await command(python, ['-m', 'zipfile', '-c', file, `${folder}/.`]);
      if (packed.code !== 0)
        throw new SetupError(`${file} could not be written: ${packed.output}. The files are in ${folder}.`);
      rmSync(folder, { recursive: true });
    },
  };
}
