import { z } from 'zod';
import { sampleTensors } from '../../contract/served-tensors';
import { givenWeights } from '../../contract/given-weights';
import { preparedNames, runFiles } from '../../store/run-files';
import { makeDatasetCommand, trainCommand } from '../../toolkit/verb-commands';
import { checkpointHash, codeHash, datasetHash, modelSource } from '../model-arguments';
import type { Step } from '../step';

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
  async run(context) {
    const { toolkit } = context.run.services;
    const { model } = context.spec;
    const source = modelSource(context.run);
    const { framework } = source;
    const files = runFiles(context.run.folder, context.spec, framework);
    const weights = givenWeights(model);
    if (model.dataset === undefined) {
      const command = makeDatasetCommand(source, files.dataset);
      context.log(['Generating the data set']);
      await toolkit.call(command, z.looseObject({ samples: z.int() }), context);
    } else {
      context.fact('Data set', model.dataset);
    }
    if (weights === undefined) {
      const command = trainCommand(source, files.dataset, files.checkpoint);
      context.log(['Preparing the weights']);
      await toolkit.call(command, z.looseObject({ trained: z.boolean() }), context);
    } else {
      context.fact(source.fileSignature === undefined ? 'Weights' : 'Model', weights);
    }
    // Relative names: the folder may be taken by another run.
    return {
      output: {
        dataset: model.dataset ?? preparedNames(framework).dataset,
        checkpoint: weights ?? preparedNames(framework).checkpoint,
      },
    };
  },
};
