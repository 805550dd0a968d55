import { basename } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { formatBytes } from '../contract/numbers';
import { mostSpecBytes } from '../contract/reader-limits';
import type { ImportedSpec } from '../contract/run/spec-tools';
import { readAssignment } from '../contract/run/upstream-variables';
import { mergeTrees, type Tree } from '../contract/trees';
import type { Readers } from '../core';
import { readBoundedFile } from '../platform/plain-entry';
import { type GivenOptions, impliedEngine, readFieldOptions } from './field-options';
import { readNumber } from './read-values';

/** Options of `run` from commander; field options have their own names. */
export interface RunOptions extends GivenOptions {
  readonly spec?: string | undefined;
  readonly gpu?: string;
  readonly shape?: readonly string[];
  readonly trust?: boolean;
  readonly with?: string;
  /** `quietly`: of a repository, and with no effect on other models. */
  readonly rewrite?: boolean | 'quietly';
  readonly serve?: string;
  readonly texts?: string;
  readonly samples?: string;
  readonly maxBatchSize?: string;
  readonly set?: readonly string[];
  /** Number in a runner's file, from 1. */
  readonly configuration?: string | undefined;
  readonly matrix?: string;
  /** A matrix of one run per length. */
  readonly lengthBuckets?: string;
  /** Downloads a model of the hub without asking. */
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const asksMatrix = ({ matrix, lengthBuckets }: RunOptions): boolean =>
  matrix !== undefined || lengthBuckets !== undefined;

/** Reads runner files too, and reports what it leaves out. */
export interface SpecReader {
  readonly importSpec: (input: {
    readonly text: string;
    readonly fileName: string;
    readonly preset: string;
    readonly configuration?: number;
  }) => Promise<ImportedSpec>;
  readonly specModel: Readers['specModel'];
  readonly note: (line: string) => void;
}

const where = '--configuration';

const refusedFile = (file: string, problem: string, option = '--spec'): WorkbenchError =>
  new WorkbenchError('input-invalid', `${file} cannot be read: ${problem}`, {
    where: option,
    remedy:
      problem === 'it does not exist'
        ? 'Check its path. The name "-" is standard input.'
        : `Use a regular file of at most ${formatBytes(mostSpecBytes)}, or - for standard input.`,
  });

/** Standard input, limited to the maximum file size. */
async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer | string>) {
    chunks.push(Buffer.from(chunk));
    bytes += chunks.at(-1)?.length ?? 0;
    if (bytes > mostSpecBytes) throw refusedFile('-', `it has more than ${formatBytes(mostSpecBytes)}`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export async function readText(file: string, option?: string): Promise<string> {
  if (file === '-') return readStandardInput();
  const found = await readBoundedFile(file, mostSpecBytes, { links: 'follow' });
  if ('text' in found) return found.text;
  throw refusedFile(file, found.problem, option);
}

/** undefined if none is named. Throws input-invalid. */
function readConfiguration({ spec, configuration }: RunOptions): number | undefined {
  if (configuration === undefined) return undefined;
  const number = readNumber(where, configuration);
  if (spec === undefined || !Number.isSafeInteger(number) || number < 1) {
    throw new WorkbenchError('input-invalid', `"${configuration}" is not the number of a configuration`, {
      where,
      remedy: 'Give its position in the file of --spec, starting at 1.',
    });
  }
  return number;
}

async function readSpecFile(
  file: string,
  preset: string | undefined,
  reader: SpecReader,
  configuration: number | undefined,
): Promise<Tree> {
  const text = await readText(file);
  const fileName = file === '-' ? '' : basename(file);
  const model = await reader.specModel({ text, fileName });
  // Text that is not YAML has no preset either; report the syntax first.
  if (model.problem !== undefined) throw new WorkbenchError('spec-invalid', model.problem, { where: file });
  const meant = preset ?? model.preset;
  if (meant === undefined) {
    throw new WorkbenchError('input-invalid', `${file} does not name a preset`, {
      where: '[preset]',
      remedy: 'Add the preset before the options, for example: run resnet50 --spec <file>',
    });
  }
  const { choice, notes, source } = await reader.importSpec({
    text,
    fileName,
    preset: meant,
    ...(configuration === undefined ? {} : { configuration }),
  });
  if (configuration !== undefined && !source.startsWith('runner-yaml')) {
    const remedy = 'Remove the option: only a runner configuration of the published procedures has several.';
    throw new WorkbenchError('input-invalid', `${file} has no configurations`, { where, remedy });
  }
  if (choice === null) throw new WorkbenchError('spec-invalid', notes.join(' '), { where: file });
  for (const note of notes) reader.note(`${file}: ${note}`);
  return mergeTrees(choice.overrides, { model: { preset: choice.preset } });
}

/** Precedence, lowest first: `--spec`, `--set`, named options. */
export async function readOverrides(
  preset: string | undefined,
  options: RunOptions,
  reader: SpecReader,
): Promise<Tree> {
  const implied = impliedEngine(options);
  const layers: Tree[] = implied === null ? [] : [{ engine: { kind: implied } }];
  const configuration = readConfiguration(options);
  if (options.spec !== undefined) {
    layers.push(await readSpecFile(options.spec, preset, reader, configuration));
  }
  if (preset !== undefined) layers.push({ model: { preset } });
  for (const assignment of options.set ?? []) layers.push(readAssignment(assignment));
  layers.push(await readFieldOptions(options, 'run'));
  return layers.reduce<Tree>(mergeTrees, {});
}
