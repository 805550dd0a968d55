import { isAbsolute } from 'node:path';
import type { Handlers } from '../contract/api';
import { invalidInput, WorkbenchError } from '../contract/errors';
import { type OpenedModel, openModelSchema } from '../contract/run/own-model';
import type { Choice, MatrixEntry, MatrixFile } from '../contract/run/spec-tools';
import { mergeTrees } from '../contract/trees';
import { modelPathsOf } from '../domain/study/matrix-study';

/** What a run takes of the model. Throws input-invalid and not-trusted where the person has to say more of it. */
function choiceOf({ choice, path, asked, code }: OpenedModel): Choice {
  if (choice !== null) return choice;
  const open = asked.filter(({ shape }) => shape === null).map(({ name }) => name);
  if (open.length > 0) {
    const remedy =
      'Open the model under New deployment, give the shapes there, and press Vary…; or run the file in a terminal: run --matrix FILE --shape NAME=1,3,224,224.';
    throw invalidInput(path, `The file does not contain the shape of ${open.join(', ')}`, remedy);
  }
  const files = code.map((file) => file.path).join(', ');
  throw new WorkbenchError('not-trusted', `The runs would execute code from ${path}: ${files}`, {
    where: path,
    remedy: 'Open the model under New deployment and trust it, then choose the matrix file again.',
  });
}

/**
 * A matrix with the user's models that it names by their paths opened, once each; `model.preset` still is the path.
 * Throws input-invalid for a path that is not a full one, and what `open` throws.
 */
export async function withOwnModels(
  file: MatrixFile,
  presets: readonly { readonly id: string }[],
  open: Handlers['models.open'],
): Promise<MatrixFile> {
  const choices = new Map<string, Choice>();
  for (const path of modelPathsOf(file, presets)) {
    if (!isAbsolute(path)) {
      const remedy =
        'Write the full path of the model: only a command in a terminal has a folder to start from.';
      throw invalidInput('preset', `"${path}" is not a full path`, remedy);
    }
    choices.set(path, choiceOf(await open(openModelSchema.parse({ path }))));
  }
  const entries = file.entries.map((entry): MatrixEntry => {
    const choice = entry.preset === null ? undefined : choices.get(entry.preset);
    if (choice === undefined) return entry;
    const overrides = mergeTrees(choice.overrides, entry.overrides);
    return { ...entry, preset: choice.preset, overrides: { ...overrides } };
  });
  return { ...file, entries };
}
