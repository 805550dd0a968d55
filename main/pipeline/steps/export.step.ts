import { join } from 'node:path';
import { modelArtefactSchema } from '../../contract/artefacts';
import { formatOf } from '../../formats/formats';
import { codeHash, datasetArguments, modelArguments, readPrepared } from '../model-arguments';
import type { Step } from '../step';

/** Framework model -> model file of the chosen format, with its weights as they are. */
export const exportStep: Step = {
  id: 'export',
  kind: 'files',
  needs: ['images', 'prepare-data'],
  deadlineS: 1200,
  async inputs(run) {
    const opset = run.spec.format === 'onnx' ? run.spec.onnxOpset : null;
    return { code: await codeHash(run), format: run.spec.format, opset };
  },
  async run(context) {
    const { spec } = context;
    const prepared = await readPrepared(context);
    const file = formatOf(spec.format).fileName;
    const artefact = await context.run.services.toolkit.call(
      'export',
      [
        ...modelArguments(context.run),
        ...datasetArguments(context, prepared.dataset),
        ['--checkpoint', prepared.checkpoint],
        ['--format', spec.format],
        ...(spec.format === 'onnx' ? [['--opset', spec.onnxOpset] as const] : []),
        ['--output', join(context.dir, file)],
      ],
      modelArtefactSchema,
      context,
    );
    return { output: { ...artefact, path: file } };
  },
};
