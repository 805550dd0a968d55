import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import type { OpenedModel } from '../contract/own-model';
import type { Choice } from '../contract/spec-tools';
import type { Core } from '../core';
import type { RunOptions } from './read-spec';
import { readNumbers } from './read-values';

/** `--shape NAME=1,3,224,224` and `--shape NAME:INT64=1,16`. */
function readShapes(texts: readonly string[]) {
  const shapes: Record<string, number[]> = {};
  const datatypes: Record<string, string> = {};
  for (const text of texts) {
    const at = text.lastIndexOf('=');
    const [, name = '', datatype] =
      /^(.+?)(?::(BOOL|U?INT\d+|FP\d+))?$/.exec(text.slice(0, Math.max(0, at))) ?? [];
    const shape = readNumbers('--shape', text.slice(at + 1));
    if (name === '' || shape.some((size) => !Number.isInteger(size) || size < 1)) {
      throw new WorkbenchError('input-invalid', `"${text}" is not a shape`, {
        where: '--shape',
        remedy: 'For example --shape x=1,3,224,224, or --shape ids:INT64=1,16',
      });
    }
    shapes[name] = shape;
    if (datatype !== undefined) datatypes[name] = datatype;
  }
  return { shapes, datatypes };
}

/** Throws where something has to be said or trusted before there can be a run. */
function choiceOf(model: OpenedModel): Choice {
  const { choice, path, asked, code } = model;
  if (choice !== null) return choice;
  const open = asked.filter(({ shape }) => shape === null);
  if (open.length > 0) {
    throw new WorkbenchError(
      'input-invalid',
      `The file does not contain the shape of ${open.map(({ name }) => name).join(', ')}`,
      {
        where: path,
        remedy: `Add ${open.map(({ name }) => `--shape ${name}=1,3,224,224`).join(' ')} with the sizes of your samples; "--shape ${open[0]?.name ?? 'x'}:INT64=1,16" for whole numbers.`,
      },
    );
  }
  throw new WorkbenchError(
    'not-trusted',
    `The run would execute code from ${path}: ${code.map((file) => file.path).join(', ')}`,
    {
      where: path,
      remedy: `To trust it, run "npm run cli -- trust ${path}" or add --trust.`,
    },
  );
}

/**
 * The model of the engineer's own that an argument names: anything with a slash, and any file or folder that is there
 * and is no preset. null: it is a preset's name.
 */
export async function readOwnModel(
  core: Core,
  argument: string,
  options: RunOptions,
  note: (line: string) => void,
): Promise<Choice | null> {
  if (core.presets().some(({ id }) => id === argument)) return null;
  if (!argument.includes('/') && !argument.includes(sep) && !existsSync(argument)) return null;
  const input = { path: argument, ...readShapes(options.shape ?? []) };
  const call = options.trust === true ? 'models.trust' : 'models.open';
  const opened = await core.handlers[call](input);
  for (const line of opened.notes) note(line);
  return choiceOf(opened);
}
