import { randomBytes } from 'node:crypto';
import { copyFile, link, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { modelArtefactSchema } from '../../contract/run/artefacts';
import { backendsOf, visibleGpus } from '../../contract/run/engine-kinds';
import { present } from '../../contract/trees';
import { instancesText } from '../../domain/run/serving';
import { shimFiles } from '../../formats/format';
import { formatOf } from '../../formats/formats';
import { modelConfigOf } from '../../formats/model-config-of';
import { repositorySourceOf } from '../../formats/own-config';
import { warmUpFolder } from '../../formats/warm-up';
import { hashFolder, listFiles, makeFolder, writeFileAtomic } from '../../platform/files';
import { fileError } from '../../platform/plain-entry';
import { formatConfigPbtxt } from '../../triton/config/config-pbtxt';
import type { ModelConfig } from '../../triton/model-config';
import { copyRepository, repositoryInputs } from '../repository-run';
import type { Step } from '../step';
import { writtenConfig } from '../step-files';
import { hasWarmUpSamples, makeWarmUpSamples, samplesIn } from '../warm-up-samples';
import { inputDataCommands, profileDataStep } from './profile-data.step';

interface RepositoryFile {
  readonly from: string;
  /** Name inside the version folder. */
  readonly name: string;
  /** `link` shares a large file's bytes if possible, else copies. */
  readonly by: 'link' | 'copy';
}

interface WriteRepositoryInput {
  /** Triton's model repository; created if missing. */
  readonly repository: string;
  readonly config: ModelConfig;
  readonly version: number;
  readonly files: readonly RepositoryFile[];
  /** Folder of the files of its warm-up; absent: it has none. */
  readonly warmUp?: string | undefined;
}

const safeName = /^[A-Za-z0-9][\w.-]{0,127}$/;

async function placeFile(file: Pick<RepositoryFile, 'from' | 'by'>, to: string): Promise<void> {
  if (file.by === 'link') {
    try {
      await link(file.from, to);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOSPC') throw error;
      // Other file system, or links are not allowed.
    }
  }
  await copyFile(file.from, to);
}

/** A SavedModel is a folder. */
async function place(file: RepositoryFile, to: string): Promise<void> {
  if (!(await stat(file.from)).isDirectory()) {
    await placeFile(file, to);
    return;
  }
  for (const path of await listFiles(file.from)) {
    await makeFolder(dirname(join(to, path)));
    await placeFile({ from: join(file.from, path), by: file.by }, join(to, path));
  }
}

/**
 * Writes `<repository>/<model>/config.pbtxt` and version folder; returns the model's folder. It is built beside the
 * repository and renamed, so that a server never sees a part; replaces an existing one. Throws config-invalid,
 * disk-full, file-unwritable.
 */
export async function writeModelRepository(input: WriteRepositoryInput): Promise<string> {
  const { config, repository } = input;
  if (!safeName.test(config.name)) {
    throw new WorkbenchError('config-invalid', `"${config.name}" cannot be the name of a model`, {
      where: 'config.pbtxt, name',
      remedy: 'Use letters, digits, ".", "_" and "-", not "." or "-" first.',
    });
  }
  const text = formatConfigPbtxt(config);
  const mark = randomBytes(6).toString('hex');
  const beside = join(dirname(repository), `.${basename(repository)}.${mark}`);
  const target = join(repository, config.name);
  try {
    const folder = join(beside, 'new', String(input.version));
    await makeFolder(folder);
    await makeFolder(repository);
    for (const file of input.files) await place(file, join(folder, basename(file.name)));
    if (input.warmUp !== undefined) {
      const to = join(beside, 'new', warmUpFolder, String(input.version));
      await makeFolder(to);
      await place({ from: input.warmUp, name: warmUpFolder, by: 'link' }, to);
    }
    await writeFileAtomic(join(beside, 'new', 'config.pbtxt'), text);
    await rename(target, join(beside, 'old')).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
    await rename(join(beside, 'new'), target);
    return target;
  } catch (error) {
    throw fileError(error, target);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** Writes config.pbtxt and the model file. */
export const configureStep: Step = {
  id: 'configure',
  kind: 'files',
  needs: ['convert'],
  deadlineS: 120,
  async inputs(run) {
    const { configure, engine } = run.spec;
    const source = repositorySourceOf(run.spec.model);
    if (source !== null) return repositoryInputs(run, source);
    const gpus = visibleGpus(engine) ?? [];
    return {
      configure,
      backends: backendsOf(engine),
      ...(gpus.length === 0 ? {} : { gpus }),
      serving: await hashFolder(join(run.services.resources, 'serving')),
      ...(configure.warmup === 'samples' ? { samples: await profileDataStep.inputs(run) } : {}),
    };
  },
  commands: (run) =>
    hasWarmUpSamples(run.spec) ? inputDataCommands(run, run.signature, samplesIn(run)) : [],
  async run(context) {
    const { spec, run } = context;
    const { configure } = spec;
    const source = repositorySourceOf(spec.model);
    if (source !== null) return copyRepository(context, source);
    const artefact = await context.output('convert', modelArtefactSchema);
    const format = formatOf(spec.format);
    const samples = hasWarmUpSamples(spec) ? await makeWarmUpSamples(context, artefact) : null;
    const config = modelConfigOf({ spec, signature: artefact, format, samples: samples?.samples });
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
      const shim = shimFiles(run.services.resources, serving.shimFolder);
      files.push(...shim.map((from) => ({ from, name: basename(from), by: 'copy' as const })));
    }
    await writeModelRepository({
      repository: run.folder.repository,
      config,
      version: configure.modelVersion,
      files,
      ...present({ warmUp: samples?.folder }),
    });
    await samples?.remove();
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
    // An edit by hand may have others than the fields.
    const warmUp = (config.modelWarmup ?? []).map(({ batchSize = 1 }) => batchSize);
    if (warmUp.length > 0) context.fact('Warm-up at load', `batch sizes ${warmUp.join(', ')}`);
    context.fact('Instances', instancesText(spec));
    return { output: writtenConfig(config) };
  },
};
