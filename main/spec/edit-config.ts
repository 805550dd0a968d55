import { toWire, WorkbenchError } from '../contract/errors';
import { type RunSpec, runSpecSchema } from '../contract/run/run-spec';
import type { Choice, ConfigEdit } from '../contract/run/spec-tools';
import { tensorPrecisionOf } from '../formats/formats';
import { canonicalJson } from '../platform/files';
import type { LoadedPreset } from '../presets/presets';
import { atPrecision, signatureOf } from '../presets/signature';
import { diffConfig } from '../triton/config-patch';
import { parseConfigPbtxt } from '../triton/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import { configFields } from './config-fields';
import { generatedConfig, readChoice } from './read-choice';
import { sizeProblem } from './spec-readers';

/** Where a field of the specification stands in config.pbtxt. */
const textNames: Readonly<Record<string, string>> = {
  modelName: 'name',
  modelVersion: 'versions',
  maxBatchSize: 'max_batch_size',
  preferredBatchSizes: 'preferred_batch_size',
  maxQueueDelayUs: 'max_queue_delay_microseconds',
  instances: 'count',
  instanceKind: 'kind',
};

function refused(message: string, line: number | null): ConfigEdit {
  return { overrides: {}, problem: { message, line } };
}

/** The line of the first mention of a field; null where the text has none. */
function lineOf(text: string, name: string): number | null {
  const index = text.split('\n').findIndex((line) => new RegExp(`(^|[\\s{])${name}\\s*[:[{]`).test(line));
  return index < 0 ? null : index + 1;
}

type Parsed =
  { readonly ok: true; readonly config: ModelConfig } | { readonly ok: false; readonly edit: ConfigEdit };

function parsed(text: string): Parsed {
  try {
    return { ok: true, config: parseConfigPbtxt(text) };
  } catch (error) {
    const { message, where } = toWire(error);
    const line = /line (\d+)/.exec(where ?? '')?.[1];
    const field = /[a-z_]+$/.exec((where ?? '').replace(/\[[^\]]*\]/g, ''))?.[0];
    const named = field === undefined ? null : lineOf(text, field);
    return { ok: false, edit: refused(message, line === undefined ? named : Number(line)) };
  }
}

/** Fields of `after` that say something else than `before`. */
function changes(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(
      ([key, value]) => canonicalJson(value) !== canonicalJson(before[key] ?? null),
    ),
  );
}

/** The problem of a specification that the text's values lead to, said of the text. */
function misfit(text: string, spec: RunSpec): ConfigEdit | null {
  const checked = runSpecSchema.safeParse(spec);
  const issue = checked.error?.issues[0];
  if (issue === undefined) return null;
  const field = String(issue.path[1] ?? '');
  const name = textNames[field] ?? field;
  return refused(`${name}: ${issue.message}`, lineOf(text, name));
}

/**
 * Takes the text of a config.pbtxt apart: what the specification has fields for goes into them, the rest into
 * `configure.configPatch`, which replaces an earlier one whole. The choice with the overrides laid over it leads to a
 * file that says the same as the text. Never throws for a bad text; pure.
 */
export function editConfig(loaded: LoadedPreset, choice: Choice, text: string): ConfigEdit {
  const tooLarge = sizeProblem('config-pbtxt', text);
  if (tooLarge !== null) return refused(tooLarge, null);
  const read = parsed(text);
  if (!read.ok) return read.edit;
  const { config } = read;
  const { nearest: spec } = readChoice(loaded.preset, choice);
  if (spec === null) return refused('Other settings of this run are invalid; fix them first', null);
  try {
    const fields = configFields({
      config,
      spec,
      generated: generatedConfig(loaded, spec),
      signatureAt: (precision) =>
        atPrecision(signatureOf(loaded.preset, spec), tensorPrecisionOf({ format: spec.format, precision })),
    });
    const wanted: RunSpec = {
      ...spec,
      precision: fields.precision,
      configure: { ...fields.configure, configPatch: {} },
    };
    const bad = misfit(text, wanted);
    if (bad !== null) return bad;
    const configPatch = diffConfig(generatedConfig(loaded, wanted), config);
    const configure = changes(spec.configure, { ...fields.configure, configPatch });
    return {
      overrides: {
        ...(fields.precision === spec.precision ? {} : { precision: fields.precision }),
        ...(Object.keys(configure).length === 0 ? {} : { configure }),
      },
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    return refused(error.message, null);
  }
}
