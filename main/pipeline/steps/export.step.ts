import { modelArtefactSchema } from '../../contract/artefacts';
import { exportedFormat, formatOf } from '../../formats/formats';
import { checkSignature, hasProfileArguments, signatureOf } from '../../presets/signature';
import { runFiles } from '../../store/run-files';
import { exportCommand } from '../../toolkit/verb-commands';
import { codeHash, modelSource, readPrepared } from '../model-arguments';
import type { Step } from '../step';

/** Framework model -> model file of the chosen format, with its weights as they are. */
export const exportStep: Step = {
  id: 'export',
  kind: 'files',
  needs: ['images', 'prepare-data'],
  deadlineS: 1200,
  async inputs(run) {
    const format = exportedFormat(run.spec.format);
    return { code: await codeHash(run), format, opset: format === 'onnx' ? run.spec.onnxOpset : null };
  },
  async run(context) {
    const { run, spec } = context;
    const prepared = await readPrepared(context);
    const file = formatOf(exportedFormat(spec.format)).fileName;
    const artefact = await run.services.toolkit.call(
      exportCommand(modelSource(run), prepared, runFiles(run.folder, spec).exported),
      modelArtefactSchema,
      context,
    );
    const { preset } = run.preset;
    if (hasProfileArguments(preset, spec)) checkSignature(signatureOf(preset, spec), artefact);
    return { output: { ...artefact, path: file } };
  },
};
