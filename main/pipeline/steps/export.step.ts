import { modelArtefactSchema } from '../../contract/run/artefacts';
import { exportedFormat, formatOf } from '../../formats/formats';
import { checkSignature, hasProfileArguments, signatureOf } from '../../presets/signature';
import type { ToolkitCommand } from '../../toolkit/toolkit';
import { exportCommand } from '../../toolkit/verb-commands';
import { codeHash, filesOf, type ModelRun, modelSource } from '../serve-model';
import type { Step } from '../step';

function commandOf(run: ModelRun): ToolkitCommand {
  const files = filesOf(run);
  return exportCommand(modelSource(run), files, files.exported);
}

/** Exports the framework model with unchanged weights. */
export const exportStep: Step = {
  id: 'export',
  kind: 'files',
  needs: ['images', 'prepare-data'],
  deadlineS: 1200,
  async inputs(run) {
    const format = exportedFormat(run.spec.format);
    const options = formatOf(format).exportOptions?.(run.spec) ?? {};
    // A model compiled for a GPU does not run on other kinds.
    const gpus = options['device'] === 'auto' ? { gpus: await run.services.gpuNames() } : {};
    return { code: await codeHash(run), format, opset: null, ...options, ...gpus };
  },
  commands: (run) => [commandOf(run)],
  async run(context) {
    const { run, spec } = context;
    const file = formatOf(exportedFormat(spec.format)).fileName;
    const artefact = await run.services.toolkit.call(commandOf(run), modelArtefactSchema, context);
    const { preset } = run.preset;
    if (hasProfileArguments(preset, spec)) checkSignature(signatureOf(preset, spec), artefact);
    return { output: { ...artefact, path: file } };
  },
};
