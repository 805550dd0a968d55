import * as textformat from 'protobufjs/ext/textformat.js';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { canonicalJson } from '../platform/files';
import { messageLines } from './config-pbtxt-writer';
import type { ModelConfig } from './model-config';
import { modelConfigSchema } from './model-config';
import { modelConfigType } from './model-config-type';
import type { PlainMessage } from './plain-message';
import { plainMessage, textName } from './plain-message';

const where = 'config.pbtxt';

/** What the parser says about a text; null when it reads. */
function complaint(text: string): string | null {
  try {
    textformat.fromText(modelConfigType, text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * The parser names the line for broken syntax and unknown fields only. For a value of the wrong type it is the first
 * line with which the text, cut off behind it, gives the same complaint.
 */
function lineOf(text: string, reason: string): number {
  const given = /\(line (\d+)\)/.exec(reason)?.[1];
  if (given !== undefined) return Number(given);
  const lines = text.split('\n');
  let low = 1;
  let high = lines.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (complaint(lines.slice(0, middle).join('\n')) === reason) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** `.inference.ModelInput.dataType` -> `ModelInput.data_type`, as it is written in the file. */
function readable(reason: string): string {
  return reason.replace(/\.inference\.([\w.]+)/g, (_all, name: string) =>
    name
      .split('.')
      .map((part) => (/^[A-Z]/.test(part) ? part : textName(part)))
      .join('.'),
  );
}

function parsePlain(text: string): PlainMessage {
  let message: unknown;
  try {
    message = textformat.fromText(modelConfigType, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const line = lineOf(text, reason);
    const source = text.split('\n')[line - 1]?.trim() ?? '';
    throw new WorkbenchError('config-invalid', `${readable(reason)}: ${source.slice(0, 200)}`, {
      where: `${where}, line ${line}`,
      cause: error,
    });
  }
  return plainMessage(modelConfigType, message, { unknown: 'reject' });
}

/** Throws config-invalid with the fields that do not fit. */
export function toModelConfig(plain: unknown): ModelConfig {
  const parsed = modelConfigSchema.safeParse(plain);
  if (parsed.success) return parsed.data;
  throw new WorkbenchError('config-invalid', z.prettifyError(parsed.error), { where });
}

/**
 * Reads a config.pbtxt of any origin. Comments are dropped: text format has no place for them in a value, so a file
 * written back by {@link formatConfigPbtxt} is without them.
 * Throws config-invalid with the line for an unknown field, a value of the wrong type or broken syntax.
 */
export function parseConfigPbtxt(text: string): ModelConfig {
  return toModelConfig(parsePlain(text));
}

/** Fields whose absence says the same; leaving them out keeps the file short. */
function withoutDefaults(plain: PlainMessage): PlainMessage {
  const { name, maxBatchSize, ...rest } = plain;
  return {
    ...(name === '' ? {} : { name }),
    ...rest,
    ...(maxBatchSize === undefined ? {} : { maxBatchSize }),
  };
}

/**
 * The text of config.pbtxt. Throws config-invalid naming the field when `config` does not fit Triton's schema.
 * The text is read back before it is returned: what is not kept exactly is an error, never a silent loss.
 */
export function formatConfigPbtxt(config: ModelConfig): string {
  const plain = withoutDefaults(plainMessage(modelConfigType, config, { unknown: 'reject' }));
  const text = `${messageLines(modelConfigType, plain).join('\n')}\n`;
  if (canonicalJson(parsePlain(text)) !== canonicalJson(plain)) {
    throw new WorkbenchError('internal', 'config.pbtxt does not read back as it was written', {
      where,
      details: text,
    });
  }
  return text;
}
