import { basename, resolve } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { inputDataModes } from '../contract/run-spec';
import type { ImportedSpec } from '../contract/spec-tools';
import { readBoundedFile } from '../platform/read-bounded-file';
import type { Readers } from '../core';
import { mostSpecBytes } from '../contract/reader-limits';
import { readAssignment, treeOf } from '../contract/upstream-variables';
import type { Tree } from '../contract/trees';
import { mergeTrees } from '../contract/trees';

/** Options of `run` as commander gives them. */
export interface RunOptions {
  readonly spec?: string | undefined;
  readonly profile?: string;
  readonly format?: string;
  readonly precision?: string;
  readonly engine?: string;
  readonly url?: string;
  readonly images?: string;
  readonly release?: string;
  readonly tritonImage?: string;
  readonly clientImage?: string;
  readonly gpus?: string;
  readonly gpu?: string;
  readonly shmSizeMib?: string;
  readonly checkpoint?: string;
  readonly dataset?: string;
  readonly shape?: readonly string[];
  readonly trust?: boolean;
  readonly modelName?: string;
  readonly batchSizes?: string;
  readonly concurrency?: string;
  readonly onlineBatchSize?: string;
  readonly loadTool?: string;
  readonly protocol?: string;
  readonly inputData?: string;
  readonly maxBatchSize?: string;
  readonly instances?: string;
  readonly threads?: string;
  readonly preferredBatchSizes?: string;
  readonly maxQueueDelayUs?: string;
  readonly backendAccelerator?: string;
  readonly measurementIntervalMs?: string;
  readonly repeats?: string;
  readonly crossCheck?: boolean;
  readonly atol?: readonly string[];
  readonly rtol?: readonly string[];
  readonly threshold?: readonly string[];
  readonly allowUnverified?: boolean;
  readonly httpPort?: string;
  readonly grpcPort?: string;
  readonly set?: readonly string[];
}

const invalid = (flag: string, message: string) =>
  new WorkbenchError('input-invalid', message, { where: flag });

export function readNumber(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw invalid(flag, `"${text}" is not a number`);
  return value;
}

export function readNumbers(flag: string, text: string): number[] {
  return text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => readNumber(flag, part));
}

/** `OUTPUT__0=1e-3` or `1e-3` for every output. */
function readNamed(flag: string, texts: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^(?:([^=]+)=)?(.*)$/.exec(text) ?? [];
      return [name ?? '*', readNumber(flag, value ?? '')];
    }),
  );
}

const text = (value: string) => value;
/** Relative to where the command is given; the steps run elsewhere. */
const path = (value: string) => resolve(value);
const number = (value: string, flag: string) => readNumber(flag, value);
const numbers = (value: string, flag: string) => readNumbers(flag, value);

const ids = (value: string) => value.split(/[\s,]+/).filter((part) => part !== '');

/** A list, or `formula` for the seeds' sweep. */
const levels = (value: string, flag: string) => (value === 'formula' ? value : readNumbers(flag, value));

type TextOption = {
  [Key in keyof RunOptions]-?: RunOptions[Key] extends string | undefined ? Key : never;
}[keyof RunOptions];

const fields: readonly (readonly [
  TextOption,
  flag: string,
  field: string,
  read: (value: string, flag: string) => unknown,
])[] = [
  ['profile', '--profile', 'model.profile', text],
  ['format', '--format', 'format', text],
  ['precision', '--precision', 'precision', text],
  ['engine', '--engine', 'engine.kind', text],
  ['url', '--url', 'engine.url', text],
  ['images', '--images', 'engine.images', text],
  ['release', '--release', 'engine.release', text],
  ['tritonImage', '--triton-image', 'engine.tritonImage', text],
  ['clientImage', '--client-image', 'engine.clientImage', text],
  ['gpus', '--gpus', 'engine.gpus', ids],
  ['shmSizeMib', '--shm-size-mib', 'engine.shmSizeMiB', number],
  ['httpPort', '--http-port', 'engine.httpPort', number],
  ['grpcPort', '--grpc-port', 'engine.grpcPort', number],
  ['checkpoint', '--checkpoint', 'model.checkpoint', path],
  ['dataset', '--dataset', 'model.dataset', path],
  ['modelName', '--model-name', 'configure.modelName', text],
  ['batchSizes', '--batch-sizes', 'performance.batchSizes', numbers],
  ['concurrency', '--concurrency', 'performance.concurrency', levels],
  ['onlineBatchSize', '--online-batch-size', 'performance.onlineBatchSize', number],
  ['loadTool', '--load-tool', 'performance.loadTool', text],
  ['protocol', '--protocol', 'performance.protocol', text],
  ['measurementIntervalMs', '--measurement-interval-ms', 'performance.measurementIntervalMs', number],
  ['repeats', '--repeats', 'performance.repeats', number],
  ['maxBatchSize', '--max-batch-size', 'configure.maxBatchSize', number],
  ['instances', '--instances', 'configure.instances', number],
  ['threads', '--threads', 'configure.threads', number],
  ['preferredBatchSizes', '--preferred-batch-sizes', 'configure.preferredBatchSizes', numbers],
  ['maxQueueDelayUs', '--max-queue-delay-us', 'configure.maxQueueDelayUs', number],
  ['backendAccelerator', '--backend-accelerator', 'configure.backendAccelerator', text],
];

/** `random`, `zero`, `dataset`, or the path of a file or folder with values. */
function inputTree(source: string): Tree {
  const isMode = inputDataModes.some((mode) => mode === source && mode !== 'file');
  const performance = isMode ? { inputData: source } : { inputData: 'file', inputDataFile: resolve(source) };
  return { performance };
}

/** How files other than our own are understood, and where is said what was left out of them. */
export interface SpecReader {
  readonly importSpec: (input: {
    readonly text: string;
    readonly fileName: string;
    readonly preset: string;
  }) => Promise<ImportedSpec>;
  readonly specModel: Readers['specModel'];
  readonly note: (line: string) => void;
}

const refusedFile = (file: string, problem: string): WorkbenchError =>
  new WorkbenchError('input-invalid', `${file} cannot be read: ${problem}`, {
    where: '--spec',
    remedy: `Give a regular file of at most ${mostSpecBytes} bytes, or - for standard input.`,
  });

/** Standard input, no further than a file may be long. */
async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer | string>) {
    chunks.push(Buffer.from(chunk));
    bytes += chunks.at(-1)?.length ?? 0;
    if (bytes > mostSpecBytes) throw refusedFile('-', `it has more than ${mostSpecBytes} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function readText(file: string): Promise<string> {
  if (file === '-') return readStandardInput();
  const found = await readBoundedFile(file, mostSpecBytes, { links: 'follow' });
  if ('text' in found) return found.text;
  throw refusedFile(file, found.problem);
}

async function readSpecFile(file: string, preset: string | undefined, reader: SpecReader): Promise<Tree> {
  const text = await readText(file);
  const fileName = file === '-' ? '' : basename(file);
  const model = await reader.specModel({ text, fileName });
  // What is no YAML names no preset either: that would be told in its place.
  if (model.problem !== undefined) throw new WorkbenchError('spec-invalid', model.problem, { where: file });
  const meant = preset ?? model.preset;
  if (meant === undefined) {
    throw new WorkbenchError('input-invalid', `${file} does not say which preset is meant`, {
      where: '[preset]',
      remedy: 'Name it before the options, for example: run resnet50 --spec <file>',
    });
  }
  const { choice, notes } = await reader.importSpec({ text, fileName, preset: meant });
  if (choice === null) throw new WorkbenchError('spec-invalid', notes.join(' '), { where: file });
  for (const note of notes) reader.note(`${file}: ${note}`);
  return mergeTrees(choice.overrides, { model: { preset: choice.preset } });
}

/** What the command line says of the specification; later wins: `--spec`, `--set`, the named options. */
export async function readOverrides(
  preset: string | undefined,
  options: RunOptions,
  reader: SpecReader,
): Promise<Tree> {
  const layers: Tree[] = [];
  if (options.spec !== undefined) layers.push(await readSpecFile(options.spec, preset, reader));
  if (preset !== undefined) layers.push({ model: { preset } });
  for (const assignment of options.set ?? []) layers.push(readAssignment(assignment));
  for (const [key, flag, field, read] of fields) {
    const value = options[key];
    if (value !== undefined) layers.push(treeOf(field, read(value, flag)));
  }
  if (options.crossCheck === true) layers.push(treeOf('performance.crossCheck', true));
  if (options.inputData !== undefined) layers.push(inputTree(options.inputData));
  const accuracy: Record<string, unknown> = {};
  if (options.atol !== undefined) accuracy['atol'] = readNamed('--atol', options.atol);
  if (options.rtol !== undefined) accuracy['rtol'] = readNamed('--rtol', options.rtol);
  if (options.threshold !== undefined) accuracy['thresholds'] = readNamed('--threshold', options.threshold);
  if (options.allowUnverified === true) accuracy['allowUnverified'] = true;
  layers.push({ accuracy });
  return layers.reduce<Tree>(mergeTrees, {});
}
