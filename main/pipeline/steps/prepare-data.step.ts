import { join, resolve } from 'node:path';
import { z } from 'zod';
import { checkpointHash, codeHash, datasetHash, modelArguments } from '../model-arguments';
import type { Step } from '../step';

/** The data set and the weights: the user's own where given, else generated and, in profile quick, trained. */
export const prepareDataStep: Step = {
  id: 'prepare-data',
  kind: 'files',
  needs: ['images'],
  deadlineS: 900,
  async inputs(run) {
    const { model } = run.spec;
    return {
      code: await codeHash(run),
      profile: model.profile,
      args: model.args,
      checkpoint: await checkpointHash(model.checkpoint),
      dataset: await datasetHash(model.dataset),
      paths: [model.checkpoint ?? null, model.dataset ?? null],
    };
  },
  async run(context) {
    const { toolkit } = context.run.services;
    const { model } = context.spec;
    let dataset = model.dataset;
    if (dataset === undefined) {
      dataset = 'dataset';
      const args = [...modelArguments(context.run), ['--output', join(context.dir, dataset)] as const];
      await toolkit.call('make-dataset', args, z.looseObject({ samples: z.int() }), context);
    } else {
      context.fact('Data set', dataset);
    }
    let { checkpoint } = model;
    if (checkpoint === undefined) {
      checkpoint = 'checkpoint.pt';
      const args = [
        ...modelArguments(context.run),
        ['--dataset', resolve(context.dir, dataset)] as const,
        ['--output', join(context.dir, checkpoint)] as const,
      ];
      await toolkit.call('train', args, z.looseObject({ trained: z.boolean() }), context);
    } else {
      context.fact('Weights', checkpoint);
    }
    return { output: { dataset, checkpoint } };
  },
};
