import { modelArtefactSchema } from '../../contract/run/artefacts';
import { formatOf, tensorPrecisionOf } from '../../formats/formats';
import { atPrecision } from '../../presets/signature';
import type { ToolkitCommand } from '../../toolkit/toolkit';
import { buildPlanCommand, convertCommand } from '../../toolkit/verb-commands';
import { codeHash, filesOf, type ModelRun, modelSource } from '../serve-model';
import type { RunContext, Step } from '../step';

/** @param image where a plan is built; null: locally, or unknown yet */
function commandOf(run: ModelRun, image: string | null): ToolkitCommand {
  const { dataset, exported, converted } = filesOf(run);
  return run.spec.format === 'trt'
    ? buildPlanCommand(modelSource(run), dataset, exported, converted, image)
    : convertCommand(run.spec, exported, converted);
}

function clientImage(run: RunContext): string | null {
  const client = run.state().environment.images.find(({ role }) => role === 'client');
  return client === undefined ? null : (client.digest ?? `${client.reference} (${client.id})`);
}

/** Converts to the chosen precision and checks the file; builds TensorRT plans. */
export const convertStep: Step = {
  id: 'convert',
  kind: 'files',
  needs: ['images', 'export'],
  // The TensorRT builder times all kernels: 86 s for ResNet50 on an H100, much longer for larger models on slower GPUs.
  deadlineS: 2 * 3600,
  async inputs(run) {
    const { precision, format, configure, tensorrt } = run.spec;
    const code = await codeHash(run);
    if (format !== 'trt') return { code, precision };
    // Plans are specific to a GPU.
    const gpus = await run.services.gpuNames();
    const tensors = tensorPrecisionOf(run.spec);
    return { code, precision, tensors, format, tensorrt, gpus, maxBatchSize: configure.maxBatchSize };
  },
  commands: (run) => [commandOf(run, null)],
  async run(context) {
    const { spec, run } = context;
    const command = commandOf(run, clientImage(run));
    const artefact = await run.services.toolkit.call(command, modelArtefactSchema, context);
    // Tensors of a model file are known; axes that only requests have are not.
    const known = modelSource(run).fileSignature;
    const tensors = known === undefined ? {} : atPrecision(known, tensorPrecisionOf(spec));
    return { output: { ...artefact, ...tensors, path: formatOf(spec.format).fileName } };
  },
};
