import { randomBytes } from 'node:crypto';
import { copyFile, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { z } from 'zod';
import { invalidInput } from '../../contract/errors';
import { modelArtefactSchema, type Signature } from '../../contract/run/artefacts';
import { isGenerating, type StepTask } from '../../contract/run/hugging-face';
import { type OpenModelInput, openModelSchema, type OwnSamples } from '../../contract/run/own-model';
import type { ModelSource, RunSpec } from '../../contract/run/run-spec';
import { present, type Tree } from '../../contract/trees';
import { hashHuggingFace } from '../../own/huggingface/folder-files';
import { inputsText, type PipelineModel, pipelineModels } from '../../own/huggingface/pipeline-configs';
import { type PipelinePlan, planPipeline, planVllm } from '../../own/huggingface/pipeline-plan';
import { counted, labelNotes, writeGeneration } from '../../own/huggingface/write-generation';
import { writeSpeech } from '../../own/huggingface/write-speech';
import { sourceOf } from '../../own/own-preset';
import { hashFile, hashFolder, hashValue, makeFolder } from '../../platform/files';
import { jsonOrNull } from '../../platform/parse-json';
import { fileError } from '../../platform/plain-entry';
import { resolveSpec } from '../../presets/resolve-spec';
import { leaseBeside, takeFileLease } from '../../store/file-lease';
import { createLocalPython } from '../../toolkit/local-python';
import { createToolkit, silentListener, type Toolkit, type ToolkitListener } from '../../toolkit/toolkit';
import { exportCommand, makeDatasetCommand } from '../../toolkit/verb-commands';
import type { CoreParts } from '../core-parts';
import { exportedAs, writeMediaPipeline } from './media-pipeline';
import { requireFitting, requireTexts, samplesKey } from './own-samples';
import { manifestOf, unfinishedEnding } from './unused-pipelines';

export interface WritePipeline extends Pick<OpenModelInput, 'path' | 'shapes'>, OwnSamples {
  /** What executes a generating model; absent: Python. */
  readonly backend?: 'vllm' | undefined;
  /** Texts of a request; absent: as a run of the folder. */
  readonly maxBatchSize?: number | undefined;
  readonly onProgress: (text: string) => void;
  /** Ends the writing; nothing of it is kept. */
  readonly signal?: AbortSignal | undefined;
}

export interface WrittenPipeline {
  /** Folder of the ensemble in its repository. */
  readonly path: string;
  /** Of the specification of a run: requests with the answers of transformers, and the values of the load. */
  readonly overrides: Tree;
  /** What was written, one sentence each. */
  readonly notes: readonly string[];
}

type Parts = Pick<CoreParts, 'options' | 'layout' | 'own' | 'reading' | 'presetOf' | 'transformersPython'>;

const referenceSchema = z.object({
  texts: z.int(),
  samples: z.int(),
  ties: z.int(),
  cut: z.int(),
  tokenizers: z.string(),
  labeled: z.int().default(0),
  left_out: z.int().default(0),
});

function notesOf(
  plan: PipelinePlan & { readonly task: StepTask },
  models: readonly PipelineModel[],
  { texts, samples, ties, cut, tokenizers, labeled, left_out: leftOut }: z.infer<typeof referenceSchema>,
): readonly string[] {
  const { name, mostTokens } = plan;
  const steps = models.map((model) => model.name).filter((model) => model !== name);
  const ofReference = cut === 0 ? '' : `, as for ${counted(cut, 'text')} of the reference`;
  return [
    `The pipeline ${name} is an ensemble of ${steps.join(', ')}; tokenizers ${tokenizers} is part of its first step.`,
    `${inputsText(plan)}. Texts of more than ${counted(mostTokens, 'token')} are cut, and TRUNCATED is true for them${ofReference}.`,
    `The reference is transformers in fp32 on ${counted(texts, 'text')}, each without padding: ${counted(samples, 'request')}, one by one and in batches of mixed lengths.`,
    ...(ties === 0
      ? []
      : [`Ties within the tolerance, whose labels and scores are not compared: ${counted(ties, 'text')}.`]),
    ...labelNotes({ labeled, leftOut }, 'text'),
  ];
}

interface Making {
  readonly plan: PipelinePlan;
  readonly source: ModelSource;
  readonly spec: RunSpec;
  readonly texts: string;
  /** Folder of images or recordings, and what tells its states apart; absent: the workbench makes them. */
  readonly samples?: { readonly folder: string; readonly key: string } | undefined;
}

async function planOf(
  { own, reading, presetOf, options }: Parts,
  { path, shapes, texts, samples, maxBatchSize, backend }: WritePipeline,
): Promise<Making> {
  const { choice } = await own.handlers['models.open'](
    openModelSchema.parse({ path, ...present({ shapes }) }),
  );
  const source = sourceOf(choice?.overrides['model']);
  if (source?.kind !== 'huggingface' || choice === null) {
    throw invalidInput('--serve', `${path} is not a Hugging Face folder`, 'Leave --serve out.');
  }
  const facts = await reading.readers.huggingFace({ path: source.path });
  const plan = (backend === 'vllm' ? planVllm : planPipeline)(facts, source);
  const isSpeech = plan.mostSeconds !== undefined;
  if ((isGenerating(plan.task) || isSpeech) && maxBatchSize !== undefined) {
    throw invalidInput(
      '--max-batch-size',
      `A generating model takes one ${isSpeech ? 'recording' : 'prompt'} per request`,
      'Leave it out. --instances serves several requests at a time.',
    );
  }
  const { preset } = await presetOf({ preset: choice.preset, source });
  // Nothing is measured of it: a load of the form would only have to fit.
  const sized = {
    configure: { maxBatchSize, preferredBatchSizes: [] },
    performance: { batchSizes: [1] },
  };
  const more = maxBatchSize === undefined ? {} : sized;
  const spec = exportedAs(plan, resolveSpec(preset, { ...choice.overrides, ...more }));
  requireFitting(plan, { texts, samples });
  if (texts !== undefined) await requireTexts(texts);
  return {
    plan,
    source,
    spec,
    samples: samples === undefined ? undefined : { folder: samples, key: await samplesKey(samples) },
    texts: texts ?? join(options.resources, 'huggingface', plan.texts ?? 'texts.txt'),
  };
}

/** Of whatever the written files depend on. */
async function keyOf(
  { options: { resources, version } }: Parts,
  { plan, source, spec, texts, samples }: Making,
): Promise<string> {
  const { maxBatchSize } = spec.configure;
  return hashValue({
    ...{ plan, version, maxBatchSize, model: spec.model },
    folder: await hashHuggingFace(source.path),
    code: await hashFolder(join(resources, 'huggingface')),
    locked: await hashFile(join(resources, 'requirements', 'locked', 'transformers.txt')),
    texts: await hashFile(texts),
    // The same bytes are a table in one file and lines in another.
    read: extname(texts),
    ...(samples === undefined ? {} : { samples }),
  });
}

/** Exports the folder as a run does. */
async function exportModel(
  toolkit: Toolkit,
  { spec, modelDir }: { readonly spec: RunSpec; readonly modelDir: string },
  folder: string,
  listener: ToolkitListener,
): Promise<{ readonly file: string; readonly signature: Signature }> {
  const source = { modelDir, spec, framework: 'pyt' } as const;
  const dataset = join(folder, 'dataset');
  const file = join(folder, 'model.onnx');
  await toolkit.call(makeDatasetCommand(source, dataset), z.looseObject({}), listener);
  const command = exportCommand(source, { dataset, checkpoint: '' }, file);
  const signature = await toolkit.call(command, modelArtefactSchema, listener);
  await rm(dataset, { recursive: true });
  return { file, signature };
}

/** Writes the models with all but what Python knows of the folder. */
async function writeModels(
  models: readonly PipelineModel[],
  place: string,
  { steps, file }: { readonly steps: string; readonly file: string },
): Promise<void> {
  for (const { name, config, content } of models) {
    const version = join(place, name, '1');
    await makeFolder(version);
    await writeFile(join(place, name, 'config.pbtxt'), config);
    if (content === 'exported') await rename(file, join(version, 'model.onnx'));
    else if (content !== null) {
      const { code, beside } = content;
      await copyFile(join(steps, code), join(version, 'model.py'));
      if (beside !== undefined) await copyFile(join(steps, beside), join(version, beside));
    }
  }
}

async function make(
  parts: Parts,
  { plan, source, spec, texts, samples }: Making,
  {
    place,
    onProgress,
    signal = new AbortController().signal,
  }: Pick<WritePipeline, 'onProgress' | 'signal'> & {
    readonly place: string;
  },
): Promise<readonly string[]> {
  const { resources, env } = parts.options;
  const python = parts.transformersPython;
  const toolkit = createToolkit(createLocalPython({ python, resources, env, cache: parts.layout.cache }));
  const listener: ToolkitListener = {
    ...silentListener(signal),
    progress: (_fraction, text) => onProgress(text),
  };
  const modelDir = join(resources, 'huggingface');
  const steps = join(modelDir, 'steps');
  const { task } = plan;
  if (isGenerating(task)) {
    return writeGeneration({ plan, source, texts }, { place, steps, toolkit, listener });
  }
  if (plan.mostSeconds !== undefined) {
    return writeSpeech({ plan, source, samples: samples?.folder }, { place, steps, toolkit, listener });
  }
  const { maxBatchSize } = spec.configure;
  const { file, signature } = await exportModel(toolkit, { spec, modelDir }, place, listener);
  const models = pipelineModels({ ...plan, task }, signature, maxBatchSize);
  await writeModels(models, join(place, 'models'), { steps, file });
  const { autoClass = '', pooling, dense, normalize } = source.huggingFace ?? {};
  if (plan.media !== undefined) {
    const written = { plan, models, source, maxBatchSize, samples: samples?.folder, place };
    return writeMediaPipeline(toolkit, written, listener);
  }
  const reference = await toolkit.call(
    {
      verb: 'write-pipeline',
      args: [
        ['--folder', source.path],
        ['--auto-class', autoClass],
        ['--task', plan.task],
        ['--texts', texts],
        ['--name', plan.name],
        ['--most-tokens', plan.mostTokens],
        ['--most-texts', maxBatchSize],
        ...(pooling === undefined ? [] : ([['--pooling', pooling]] as const)),
        ...(dense === undefined ? [] : ([['--dense', dense.join(',')]] as const)),
        ...(normalize === true ? ([['--normalize']] as const) : []),
        ...(plan.pairs === true ? ([['--pairs']] as const) : []),
        ['--output', place],
      ],
    },
    referenceSchema,
    listener,
  );
  return notesOf({ ...plan, task }, models, reference);
}

const manifestSchema = z.object({ notes: z.array(z.string()) });

const readManifest = async (place: string) =>
  manifestSchema.safeParse(jsonOrNull(await readFile(manifestOf(place), 'utf8').catch(() => ''))).data;

/** Writes beside the place and moves it there, under a lease that tells a clean-up whether the writer lives. @returns the notes */
async function writeFresh(
  parts: Parts,
  making: Making,
  place: string,
  { onProgress, signal }: Pick<WritePipeline, 'onProgress' | 'signal'>,
): Promise<readonly string[]> {
  const fresh = `${place}.${randomBytes(4).toString('hex')}${unfinishedEnding}`;
  await makeFolder(parts.layout.pipelines);
  const { release } = await takeFileLease(leaseBeside(fresh));
  try {
    await makeFolder(fresh);
    const notes = await make(parts, making, { place: fresh, onProgress, signal });
    await writeFile(manifestOf(fresh), `${JSON.stringify({ notes }, null, 2)}\n`);
    await rm(place, { recursive: true, force: true });
    await rename(fresh, place);
    return notes;
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw fileError(error, fresh);
  } finally {
    // Its name is of this writing only, so that it was taken.
    await release?.();
  }
}

/**
 * Writes a Hugging Face folder as a Triton repository whose ensemble takes texts, with the answers of transformers as the
 * reference; kept in the home until the folder or the workbench changes. Trusts what it writes, once. Throws as
 * `models.open`, combination-unsupported for a task without steps, input-invalid, disk-full, toolchain-missing.
 */
export async function writePipeline(parts: Parts, input: WritePipeline): Promise<WrittenPipeline> {
  const making = await planOf(parts, input);
  const { name, task } = making.plan;
  const place = join(parts.layout.pipelines, `${name}-${(await keyOf(parts, making)).slice(0, 12)}`);
  const path = join(place, 'models', name);
  let notes: readonly string[] | undefined = (await readManifest(place))?.notes;
  if (notes === undefined) {
    notes = await writeFresh(parts, making, place, input);
    await parts.own.handlers['models.trust'](openModelSchema.parse({ path }));
  } else {
    // For a clean-up as good as written now: the run of it does not exist yet.
    await utimes(manifestOf(place), new Date(), new Date()).catch(() => undefined);
  }
  const overrides = {
    accuracy: { golden: join(place, 'golden.json') },
    performance: {
      ...{ inputData: 'file', inputDataFile: join(place, 'load.json') },
      // Pieces of an answer come over a stream.
      ...(isGenerating(task) ? { protocol: 'grpc' } : {}),
    },
  };
  return { path, overrides, notes };
}
