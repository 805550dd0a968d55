import { join } from 'node:path';
import { modelArtefactSchema } from '../../contract/run/artefacts';
import { backendsOf, instancesText, visibleGpus } from '../../contract/run/serving';
import { formatOf } from '../../formats/formats';
import { modelConfigOf } from '../../formats/model-config-of';
import { hashFolder } from '../../platform/files';
import { formatConfigPbtxt } from '../../triton/config-pbtxt';
import { type RepositoryFile, writeModelRepository } from '../../triton/repository';
import type { Step } from '../step';
import { writtenConfig } from '../step-files';

/** Writes the model repository: config.pbtxt from the typed configuration, and the model file beside it. */
export const configureStep: Step = {
  id: 'configure',
  kind: 'files',
  needs: ['convert'],
  deadlineS: 120,
  async inputs(run) {
    const { configure, engine } = run.spec;
    const gpus = visibleGpus(engine) ?? [];
    return {
      configure,
      backends: backendsOf(engine),
      ...(gpus.length === 0 ? {} : { gpus }),
      serving: await hashFolder(join(run.services.resources, 'serving')),
    };
  },
  async run(context) {
    const { spec, run } = context;
    const { configure } = spec;
    const artefact = await context.output('convert', modelArtefactSchema);
    const format = formatOf(spec.format);
    const config = modelConfigOf({ spec, signature: artefact, format });
    const serving = format.servedBy({
      backends: backendsOf(spec.engine),
      precision: spec.precision,
      accelerator: configure.backendAccelerator,
    });
    const files: RepositoryFile[] = [
      { from: join(run.folder.step('convert'), artefact.path), name: format.fileName, by: 'link' },
    ];
    if (artefact.plan !== undefined) {
      const name = `${format.fileName}.json`;
      files.push({ from: join(run.folder.step('convert'), name), name, by: 'copy' });
    }
    if (serving.ok && serving.serving === 'shim') {
      const shim = join(run.services.resources, 'serving', serving.shimFolder, 'model.py');
      files.push({ from: shim, name: 'model.py', by: 'copy' });
    }
    await writeModelRepository({
      repository: run.folder.repository,
      config,
      version: configure.modelVersion,
      files,
    });
    context.log(formatConfigPbtxt(config).split('\n'));
    context.fact(
      'Served as',
      serving.ok && serving.serving === 'shim' ? 'Python backend (CPU)' : format.title,
    );
    context.fact('Max batch size', String(config.maxBatchSize));
    if (configure.batching === 'dynamic') {
      const preferred = configure.preferredBatchSizes.join(', ') || 'none';
      context.fact(
        'Dynamic batching',
        `preferred sizes ${preferred}; max queue delay ${configure.maxQueueDelayUs} µs`,
      );
    }
    context.fact('Instances', instancesText(spec));
    return { output: writtenConfig(config) };
  },
};
