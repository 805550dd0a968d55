import { z } from 'zod';
import { givenWeights } from '../../contract/run/artefacts';
import { sampleTensors } from '../../contract/run/own-model';
import type { ToolkitCommand } from '../../toolkit/toolkit';
import { makeDatasetCommand, trainCommand } from '../../toolkit/verb-commands';
import {
  checkpointHash,
  codeHash,
  datasetHash,
  filesOf,
  type ModelRun,
  modelSource,
} from '../model-arguments';
import type { Step } from '../step';

/** null: the user's own is taken. */
const datasetCommand = (run: ModelRun): ToolkitCommand | null =>
  run.spec.model.dataset === undefined ? makeDatasetCommand(modelSource(run), filesOf(run).dataset) : null;

function weightsCommand(run: ModelRun): ToolkitCommand | null {
  const { dataset, checkpoint } = filesOf(run);
  return givenWeights(run.spec.model) === undefined
    ? trainCommand(modelSource(run), dataset, checkpoint)
    : null;
}

/** The data set and the weights: the user's own where given, else generated and, in profile quick, trained. */
export const prepareDataStep: Step = {
  id: 'prepare-data',
  kind: 'files',
  needs: ['images'],
  // The first run of a TensorFlow model installs TensorFlow here.
  deadlineS: 1800,
  async inputs(run) {
    const { model } = run.spec;
    return {
      code: await codeHash(run),
      profile: model.profile,
      args: model.args,
      checkpoint: await checkpointHash(givenWeights(model)),
      tensors: model.source === undefined ? null : sampleTensors(model),
      dataset: await datasetHash(model.dataset),
      paths: [givenWeights(model) ?? null, model.dataset ?? null],
    };
  },
  // A loader may keep what it has read beside the data.
  writesInputs: ({ spec }) => spec.model.dataset !== undefined,
  commands: (run) => [datasetCommand(run), weightsCommand(run)].filter((command) => command !== null),
  async run(context) {
    const { toolkit } = context.run.services;
    const { model } = context.spec;
    const dataset = datasetCommand(context.run);
    if (dataset !== null) {
      context.log(['Generating the data set']);
      await toolkit.call(dataset, z.looseObject({ samples: z.int() }), context);
    }
    if (model.dataset !== undefined) context.fact('Data set', model.dataset);
    const weights = weightsCommand(context.run);
    if (weights !== null) {
      context.log(['Preparing the weights']);
      await toolkit.call(weights, z.looseObject({ trained: z.boolean() }), context);
    }
    const given = givenWeights(model);
    const isFile = modelSource(context.run).fileSignature !== undefined;
    if (given !== undefined) context.fact(isFile ? 'Model' : 'Weights', given);
    return {};
  },
};
