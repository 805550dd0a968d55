import { lstat, open, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { toWire, type WireError } from '../../contract/errors';
import { backendOf } from '../../formats/patched-config';
import { readBoundedFile } from '../../platform/plain-entry';
import { parseConfigPbtxt } from '../../triton/config/config-pbtxt';
import { strictComplaint } from '../../triton/config/config-strict';
import { frozenGraph } from '../../triton/config/image-needs';
import type { ModelConfig } from '../../triton/model-config';
import { mostConfigBytes, readableBackends } from '../read-repository';

/** config.pbtxt of a model's folder as it is. */
export interface ConfigFile {
  /** null without a file, or where it cannot be read. */
  readonly text: string | null;
  /** Empty without a file; null where it has a mistake. */
  readonly config: ModelConfig | null;
  readonly problem: Pick<WireError, 'message' | 'where' | 'remedy'> | null;
}

/** For the reader process: a file of others. */
export async function readConfigFile(folder: string): Promise<ConfigFile> {
  const path = join(folder, 'config.pbtxt');
  const missing = (await lstat(path).catch(() => null)) === null;
  if (missing) return { text: null, config: parseConfigPbtxt(''), problem: null };
  const found = await readBoundedFile(path, mostConfigBytes);
  if (!('text' in found)) {
    const remedy = `Put a regular file of at most ${mostConfigBytes} bytes there.`;
    const message = `config.pbtxt cannot be read: ${found.problem}`;
    return { text: null, config: null, problem: { message, where: 'config.pbtxt', remedy } };
  }
  const { text } = found;
  try {
    const complaint = strictComplaint(text);
    if (complaint !== null) throw complaint;
    return { text, config: parseConfigPbtxt(text), problem: null };
  } catch (error) {
    const { message, where = 'config.pbtxt', remedy } = toWire(error);
    return { text, config: null, problem: { message, where, ...(remedy === undefined ? {} : { remedy }) } };
  }
}

/** What lies in the folder of a model, by name. */
export interface ModelFolder {
  readonly name: string;
  readonly path: string;
  /** Folders that Triton takes as versions, ascending. */
  readonly versions: readonly number[];
  /** Entries beside them. */
  readonly others: readonly string[];
  /** Names in the folder of each version. */
  readonly inVersion: ReadonlyMap<number, readonly string[]>;
}

export async function listModelFolder(path: string): Promise<ModelFolder> {
  const entries = await readdir(path, { withFileTypes: true });
  const isVersion = (name: string) => /^[1-9]\d*$/.test(name);
  const versions = entries.filter((entry) => entry.isDirectory() && isVersion(entry.name));
  const numbers = versions.map(({ name }) => Number(name)).sort((a, b) => a - b);
  const inVersion = await Promise.all(
    numbers.map(async (version) => [version, await readdir(join(path, String(version)))] as const),
  );
  const others = entries.map(({ name }) => name).filter((name) => !numbers.includes(Number(name)));
  return { name: basename(path), path, versions: numbers, others, inVersion: new Map(inVersion) };
}

interface Policy {
  readonly latest?: { readonly numVersions?: unknown };
  readonly all?: unknown;
  readonly specific?: { readonly versions?: readonly unknown[] };
}

/** Versions that the policy serves: the newest without one. */
export function servedVersions(config: ModelConfig, versions: readonly number[]): readonly number[] {
  const { specific, all, latest } = (config.versionPolicy ?? {}) as Policy;
  if (specific !== undefined) {
    const wanted = (specific.versions ?? []).map(Number);
    return versions.filter((version) => wanted.includes(version));
  }
  if (all !== undefined) return versions;
  return versions.slice(-Math.max(1, Number(latest?.numVersions ?? 1)));
}

/** The usual file of backends that Triton recognizes by it, without a backend in config.pbtxt. */
const usualFiles: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(readableBackends).map(([backend, { file }]) => [backend, file])),
  ...{ tensorrt: 'model.plan', python: 'model.py', openvino: 'model.xml' },
};

/** Backend of the configuration, or the one that Triton infers from the files; '' without one. */
export function backendIn(config: ModelConfig, names: readonly string[]): string {
  const written = backendOf(config);
  if (written !== '') return written;
  if (config['ensembleScheduling'] !== undefined) return 'ensemble';
  return Object.entries(usualFiles).find(([, file]) => names.includes(file))?.[0] ?? '';
}

/** File, or SavedModel folder, that the backend loads from a version folder; null where that is not known. */
export function modelFileName(config: ModelConfig, backend: string): string | null {
  const { defaultModelFilename = '', platform } = config;
  if (defaultModelFilename !== '') return defaultModelFilename;
  return platform === frozenGraph ? 'model.graphdef' : (usualFiles[backend] ?? null);
}

/** TensorRT's version in the header of a plan: "10.3.0"; null for another file. Reads 28 bytes. */
export async function planVersion(path: string): Promise<string | null> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(28), 0, 28, 0);
    // `trtexec --getPlanVersionOnly` reads it there, in the first form of the header.
    if (bytesRead < 28 || buffer.toString('latin1', 0, 4) !== 'ftrt') return null;
    return buffer.readUInt32LE(4) === 0 ? [...buffer.subarray(24, 27)].join('.') : null;
  } finally {
    await file.close();
  }
}
