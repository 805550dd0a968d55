import { join } from 'node:path';
import { modelArtefactSchema } from '../../contract/artefacts';
import { formatOf } from '../../formats/formats';
import { runFiles } from '../../store/run-files';
import { convertCommand } from '../../toolkit/verb-commands';
import { codeHash } from '../model-arguments';
import type { Step } from '../step';

/** Exported file -> file of the chosen precision, checked; fp32 is passed on as it is. */
export const convertStep: Step = {
  id: 'convert',
  kind: 'files',
  needs: ['images', 'export'],
  deadlineS: 1200,
  async inputs(run) {
    return { code: await codeHash(run), precision: run.spec.precision };
  },
  async run(context) {
    const { spec, run } = context;
    const exported = await context.output('export', modelArtefactSchema);
    const file = formatOf(spec.format).fileName;
    const artefact = await run.services.toolkit.call(
      convertCommand(
        spec,
        join(run.folder.step('export'), exported.path),
        runFiles(run.folder, spec).converted,
      ),
      modelArtefactSchema,
      context,
    );
    return { output: { ...artefact, path: file } };
  },
};
