import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { modelArtefactSchema, type Signature } from '../../contract/run/artefacts';
import { repositoryOf } from '../../contract/run/run-spec';
import { tensorPrecisionOf } from '../../formats/formats';
import { repositorySourceOf } from '../../formats/own-config';
import { runInputHash, runTensors } from '../../perf/input/input-readers';
import { atPrecision, hasProfileArguments, signatureOf } from '../../presets/signature';
import type { ToolkitCommand } from '../../toolkit/toolkit';
import { profileDataCommand, profileDataInputs } from '../../toolkit/verb-commands';
import { repositoryInputs, writeRepositoryInput } from '../repository-run';
import { codeHash, filesOf, type ModelRun, modelSource } from '../serve-model';
import type { RunContext, Step, StepContext, StepInputs } from '../step';

/** The user's file, or null for generated or data set values. */
const ownFile = ({ performance }: RunContext['spec']): string | null =>
  performance.inputData === 'file' ? (performance.inputDataFile ?? null) : null;

/** Reads the file first, so that its problems do not appear after minutes. */
async function ownInputs(
  run: Pick<StepInputs, 'spec' | 'preset' | 'services'>,
  file: string,
): Promise<unknown> {
  const { preset } = run.preset;
  if (hasProfileArguments(preset, run.spec)) {
    const wanted = runTensors(atPrecision(signatureOf(preset, run.spec), tensorPrecisionOf(run.spec)));
    await run.services.readers.inputCheck({ path: file, wanted, shapes: {} });
  }
  return { mode: 'file', file: await runInputHash(file) };
}

async function storeOwn(
  context: StepContext,
  file: string,
  signature: Signature,
  dir: string,
): Promise<string> {
  const { data, entries } = await context.run.services.readers.inputStore({
    path: file,
    wanted: runTensors(signature),
    shapes: {},
    dir,
  });
  // Written last: marks the others as complete.
  await writeFile(join(dir, 'input-data.json'), `${JSON.stringify(data, null, 2)}\n`);
  const expected = data.expected === undefined ? '' : ', with expected outputs';
  return `file, ${entries} ${entries === 1 ? 'entry' : 'entries'}${expected}`;
}

/** What makes the input data of a run in a folder; none where they are of a file. */
export function inputDataCommands(
  run: ModelRun,
  { inputs }: Signature,
  dir: string,
): readonly ToolkitCommand[] {
  if (ownFile(run.spec) !== null) return [];
  return [profileDataCommand(modelSource(run), filesOf(run).dataset, inputs, dir)];
}

/** Writes the input data of the run, as the load gets it. @returns what it is of; null: made or of a data set */
export async function makeInputData(
  context: StepContext,
  signature: Signature,
  dir: string,
): Promise<string | null> {
  const file = ownFile(context.spec);
  if (file !== null) return storeOwn(context, file, signature, dir);
  for (const command of inputDataCommands(context.run, signature, dir)) {
    await context.run.services.toolkit.call(command, z.looseObject({ count: z.int() }), context);
  }
  return null;
}

/** Raw input tensors, shared by both load tools. */
export const profileDataStep: Step = {
  id: 'profile-data',
  kind: 'files',
  needs: ['images', 'convert'],
  deadlineS: 600,
  async inputs(run) {
    const file = ownFile(run.spec);
    const source = repositorySourceOf(run.spec.model);
    if (source !== null) {
      const { model, performance } = run.spec;
      const values = file === null ? { mode: performance.inputData } : { file: await runInputHash(file) };
      return { ...values, shapes: model.shapes ?? {}, served: await repositoryInputs(run, source) };
    }
    if (file !== null) return ownInputs(run, file);
    return { code: await codeHash(run), ...profileDataInputs(run.spec) };
  },
  commands: (run) =>
    repositoryOf(run.spec.model) === null
      ? inputDataCommands(run, run.signature, filesOf(run).inputData)
      : [],
  async run(context) {
    const { spec, run } = context;
    if (repositoryOf(spec.model) !== null) return writeRepositoryInput(context);
    const signature = await context.output('convert', modelArtefactSchema);
    const of = await makeInputData(context, signature, filesOf(run).inputData);
    if (of !== null) context.fact('Input data', of);
    return {};
  },
};
