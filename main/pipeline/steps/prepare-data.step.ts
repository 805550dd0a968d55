import { z } from 'zod';
import { givenWeights } from '../../contract/run/artefacts';
import { hasReadTensors, sampleTensors } from '../../contract/run/own-model';
import type { ToolkitCommand } from '../../toolkit/toolkit';
import { loadCheckpointCommand, makeDatasetCommand, trainCommand } from '../../toolkit/verb-commands';
import { codeHash, datasetHash, filesOf, type ModelRun, modelSource, weightsHash } from '../serve-model';
import type { Step } from '../step';

/** null: the user's data set. */
const datasetCommand = (run: ModelRun): ToolkitCommand | null =>
  run.spec.model.dataset === undefined ? makeDatasetCommand(modelSource(run), filesOf(run).dataset) : null;

/** null: a model of the user that has its weights. */
function weightsCommand(run: ModelRun): ToolkitCommand | null {
  const { dataset, checkpoint, checkpointArguments } = filesOf(run);
  const { model } = run.spec;
  if (hasReadTensors(model)) return null;
  return model.checkpoint === undefined
    ? trainCommand(modelSource(run), dataset, checkpoint)
    : loadCheckpointCommand(modelSource(run), model.checkpoint, checkpoint, checkpointArguments);
}

interface Job {
  readonly command: ToolkitCommand | null;
  readonly what: string;
}

/** Generated data has sizes from the user's checkpoint; training reads the data set. */
function jobsOf(run: ModelRun): readonly Job[] {
  const dataset = { command: datasetCommand(run), what: 'Generating the data set' };
  const weights = { command: weightsCommand(run), what: 'Preparing the weights' };
  return run.spec.model.checkpoint === undefined ? [dataset, weights] : [weights, dataset];
}

/** The user's data set and weights, or generated and, in profile quick, trained ones. */
export const prepareDataStep: Step = {
  id: 'prepare-data',
  kind: 'files',
  needs: ['images'],
  // The first run of a TensorFlow model installs TensorFlow.
  deadlineS: 1800,
  async inputs(run) {
    const { model } = run.spec;
    return {
      code: await codeHash(run),
      profile: model.profile,
      args: model.args,
      checkpoint: await weightsHash(model),
      tensors: model.source === undefined ? null : sampleTensors(model),
      dataset: await datasetHash(model.dataset),
      paths: [givenWeights(model) ?? null, model.dataset ?? null],
    };
  },
  // A loader may write a cache beside the data.
  writesInputs: ({ spec }) => spec.model.dataset !== undefined,
  commands: (run) => jobsOf(run).flatMap(({ command }) => command ?? []),
  async run(context) {
    const { toolkit } = context.run.services;
    const { model } = context.spec;
    for (const { command, what } of jobsOf(context.run)) {
      if (command === null) continue;
      context.log([what]);
      await toolkit.call(command, z.looseObject({}), context);
    }
    if (model.dataset !== undefined) context.fact('Data set', model.dataset);
    const given = givenWeights(model);
    const isFile = hasReadTensors(model);
    if (given !== undefined) context.fact(isFile ? 'Model' : 'Weights', given);
    return {};
  },
};
