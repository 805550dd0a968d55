import { modelArtefactSchema } from '../../contract/artefacts';
import { z } from 'zod';
import { codeHash, datasetArguments, modelArguments, readPrepared } from '../model-arguments';
import type { Step } from '../step';

const sampleCount = 8;

/** Raw input tensors for the load tools, the same for both of them. */
export const profileDataStep: Step = {
  id: 'profile-data',
  kind: 'files',
  needs: ['images', 'convert'],
  deadlineS: 600,
  async inputs(run) {
    return { code: await codeHash(run), mode: run.spec.performance.inputData, sampleCount };
  },
  async run(context) {
    const { spec, run } = context;
    const { inputs } = await context.output('convert', modelArtefactSchema);
    const prepared = await readPrepared(context);
    await run.services.toolkit.call(
      'profile-data',
      [
        ...modelArguments(run),
        ...datasetArguments(context, prepared.dataset),
        ['--precision', spec.precision],
        ['--mode', spec.performance.inputData],
        ['--count', sampleCount],
        ['--signature', JSON.stringify(inputs)],
        ['--output-dir', context.dir],
      ],
      z.looseObject({ count: z.int() }),
      context,
    );
    return {};
  },
};
