import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { formatCount } from '../../contract/numbers';
import type { ModelSource } from '../../contract/run/run-spec';
import { makeFolder } from '../../platform/files';
import { mediaCommand } from '../../toolkit/media-command';
import { copyGenerationFiles, speechCode, speechConfig } from './generation-model';
import { wavReader } from './pipeline-configs';
import type { PipelinePlan } from './pipeline-plan';
import { counted, labelNotes, type Written } from './write-generation';

const referenceSchema = z.object({
  items: z.int(),
  samples: z.int(),
  ties: z.int(),
  /** Recordings whose text is empty. */
  empty: z.int(),
  languages: z.int(),
  transformers: z.string(),
  labeled: z.int().default(0),
  left_out: z.int().default(0),
});
type Reference = z.infer<typeof referenceSchema>;

const notesOf = (
  { name, mostSeconds = 0 }: PipelinePlan,
  isOwn: boolean,
  { items, samples, ties, empty, languages, transformers, labeled, left_out: leftOut }: Reference,
): readonly string[] => [
  `The pipeline ${name} is one model in Python with a key-value cache. It needs torch and transformers ${transformers} where it is served.`,
  `${languages === 0 ? 'Input: AUDIO' : 'Inputs: AUDIO, LANGUAGE (optional)'}. AUDIO is a recording as WAV of up to ${counted(mostSeconds, 'second')}; a longer one is refused.`,
  `The reference is transformers in fp32 on ${counted(items, 'recording')}${isOwn ? '' : ' that the workbench made'}, the best token each time: ${counted(samples, 'request')}.`,
  ...(empty === 0 ? [] : [`Recordings whose text is empty: ${formatCount(empty)}.`]),
  ...(ties === 0
    ? []
    : [`Ties within the tolerance, whose texts are not compared: ${counted(ties, 'recording')}.`]),
  ...labelNotes({ labeled, leftOut }, 'recording'),
];

interface Making {
  readonly plan: PipelinePlan;
  readonly source: ModelSource;
  /** Folder of recordings; absent: those of the workbench. */
  readonly samples?: string | undefined;
}

/**
 * Writes the speech model of a folder with its weights, and the texts of transformers. Returns what was written, one sentence
 * each. Throws as the toolkit, model-folder-invalid.
 */
export async function writeSpeech(
  { plan, source, samples }: Making,
  { place, steps, toolkit, listener }: Written,
): Promise<readonly string[]> {
  const model = join(place, 'models', plan.name);
  const version = join(model, '1');
  await makeFolder(version);
  await writeFile(join(model, 'config.pbtxt'), speechConfig(plan.name));
  await copyFile(join(steps, speechCode), join(version, 'model.py'));
  await copyFile(join(steps, wavReader), join(version, wavReader));
  await copyGenerationFiles(source.path, version);
  const reference = await toolkit.call(
    mediaCommand({ source, task: plan.task, name: plan.name, mostSamples: 1, samples, place }),
    referenceSchema,
    listener,
  );
  return notesOf(plan, samples !== undefined, reference);
}
