import { modelArtefactSchema } from '../../contract/artefacts';
import { z } from 'zod';
import { runFiles } from '../../store/run-files';
import { profileDataCommand, profileDataInputs } from '../../toolkit/verb-commands';
import { codeHash, modelSource, readPrepared } from '../model-arguments';
import type { Step } from '../step';

/** Raw input tensors for the load tools, the same for both of them. */
export const profileDataStep: Step = {
  id: 'profile-data',
  kind: 'files',
  needs: ['images', 'convert'],
  deadlineS: 600,
  async inputs(run) {
    return { code: await codeHash(run), ...profileDataInputs(run.spec) };
  },
  async run(context) {
    const { spec, run } = context;
    const { inputs } = await context.output('convert', modelArtefactSchema);
    const prepared = await readPrepared(context);
    await run.services.toolkit.call(
      profileDataCommand(modelSource(run), prepared.dataset, inputs, runFiles(run.folder, spec).inputData),
      z.looseObject({ count: z.int() }),
      context,
    );
    return {};
  },
};
