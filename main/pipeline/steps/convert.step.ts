import { join } from 'node:path';
import { modelArtefactSchema } from '../../contract/artefacts';
import { formatOf } from '../../formats/formats';
import { atPrecision } from '../../presets/signature';
import { runFiles } from '../../store/run-files';
import type { ToolkitCommand } from '../../toolkit/toolkit';
import { buildPlanCommand, convertCommand } from '../../toolkit/verb-commands';
import { codeHash, modelSource, readPrepared } from '../model-arguments';
import type { Step, StepContext } from '../step';

async function planCommand(context: StepContext, input: string, output: string): Promise<ToolkitCommand> {
  const { run } = context;
  const client = run.state().environment.images.find(({ role }) => role === 'client');
  const image = client === undefined ? null : (client.digest ?? `${client.reference} (${client.id})`);
  const { dataset } = await readPrepared(context);
  return buildPlanCommand(modelSource(run), dataset, input, output, image);
}

/** Exported file -> file of the chosen precision, checked; fp32 is passed on as it is. A plan is built here. */
export const convertStep: Step = {
  id: 'convert',
  kind: 'files',
  needs: ['images', 'export'],
  deadlineS: 1200,
  async inputs(run) {
    const { precision, format, configure, tensorrt } = run.spec;
    const code = await codeHash(run);
    if (format !== 'trt') return { code, precision };
    // A plan of another GPU must not come from the cache.
    const gpus = await run.services.gpuNames();
    return { code, precision, format, tensorrt, gpus, maxBatchSize: configure.maxBatchSize };
  },
  async run(context) {
    const { spec, run } = context;
    const exported = await context.output('export', modelArtefactSchema);
    const input = join(run.folder.step('export'), exported.path);
    const output = runFiles(run.folder, spec).converted;
    const command =
      spec.format === 'trt' ? await planCommand(context, input, output) : convertCommand(spec, input, output);
    const artefact = await run.services.toolkit.call(command, modelArtefactSchema, context);
    // Of a model file the tensors are known; the toolkit knows nothing of axes that only requests have.
    const known = modelSource(run).fileSignature;
    const tensors = known === undefined ? {} : atPrecision(known, spec.precision);
    return { output: { ...artefact, ...tensors, path: formatOf(spec.format).fileName } };
  },
};
