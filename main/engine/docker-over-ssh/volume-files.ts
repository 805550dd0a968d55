import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import type { DockerClient } from '../../docker/client';
import type { ContainerMount } from '../../docker/container-body';
import { labelNames } from '../../docker/containers';
import {
  createVolume,
  isSameHolder,
  listVolumes,
  machineHolder,
  type OwnVolume,
  removeVolumes,
} from '../../docker/volumes';
import { makeFolder, replaceFile } from '../../platform/files';
import { jsonOrNull } from '../../platform/parse-json';
import { readPlainText, requirePlainEntry } from '../../platform/plain-entry';
import type { RunContainers } from '../docker/run-containers';
import type { FilesListener, RunFiles } from '../docker/run-files';
import type { ExecutorRun, ExecutorSpec } from '../engine';
import {
  emptyMirror,
  type Mirror,
  mirrored,
  mirrorSchema,
  missingIn,
  readFolder,
  withTaken,
} from './folder-volume';
import { openSharedVolumes, volumeMount, VolumeTransfer } from './volume-transfer';

/** Steps whose folders no client reads; Triton's repository has its own volume. */
const unread: ReadonlySet<string> = new Set(['images', 'configure', 'deploy', 'report']);
/** Files that only this process writes, and reports. */
const ownBusiness = (path: string): boolean => path === 'step.log' || path === 'output.json';

/** Exists in the run folder while the engine has files of the run. */
export const volumesRecord = 'volumes.json';

const recordSchema = z.strictObject({
  host: z.string(),
  /** By relative folder of the run. */
  mirrors: z.record(z.string(), mirrorSchema),
});
type MirrorRecord = z.infer<typeof recordSchema>;

interface VolumeFilesOptions {
  readonly client: DockerClient;
  readonly instance: string;
  readonly run: ExecutorRun;
  readonly spec: ExecutorSpec;
  readonly resources: string;
  readonly bundles: string;
  readonly containers: RunContainers;
  readonly image: () => string;
}

/** Files of a run whose Docker Engine cannot mount local folders: one volume per step folder. */
class VolumeFiles implements RunFiles {
  private readonly recordFile: string;
  private readonly transfer: VolumeTransfer;
  private record: Promise<MirrorRecord> | null = null;
  private shared: Promise<readonly ContainerMount[]> | null = null;

  constructor(private readonly options: VolumeFilesOptions) {
    this.recordFile = join(options.run.dir, volumesRecord);
    this.transfer = new VolumeTransfer(options);
  }

  async openClient(listener: FilesListener, again = false): Promise<readonly ContainerMount[]> {
    const { run } = this.options;
    const steps = join(run.dir, 'steps');
    for (const folder of [steps, ...this.writable()]) {
      await requirePlainEntry(folder);
      await makeFolder(folder);
    }
    const { mirrors } = await this.known(listener.signal);
    const own = this.writable();
    // A repeated step starts with an empty folder.
    for (const key of again ? [] : own.map((folder) => this.keyOf(folder))) {
      if (mirrors[key]?.open === true) Reflect.deleteProperty(mirrors, key);
    }
    const mounts: ContainerMount[] = [];
    const others = (await readdir(steps, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory() && !unread.has(entry.name))
      .map(({ name }) => join(steps, name));
    for (const folder of [...own, ...others.filter((path) => !own.includes(path))]) {
      const volume = await this.send(folder, listener, ownBusiness);
      mounts.push(volumeMount(volume, `/workbench/run/${this.keyOf(folder)}`, own.includes(folder)));
    }
    for (const key of own.map((folder) => this.keyOf(folder))) {
      const mirror = mirrors[key];
      if (!again && mirror !== undefined) await this.keep(key, { ...mirror, open: true });
    }
    // After the run's own volumes, which keep shared volumes in use.
    this.shared ??= openSharedVolumes({ ...this.options, transfer: this.transfer }, listener).catch(
      (error: unknown) => {
        this.shared = null;
        throw error;
      },
    );
    return [...(await this.shared), ...mounts];
  }

  async openRepository(repository: string, listener: FilesListener): Promise<ContainerMount> {
    return volumeMount(await this.send(repository, listener), '/models', false);
  }

  async collect(written: string | null, listener: FilesListener): Promise<void> {
    const [step, results] = this.writable();
    await this.take(step, written ?? step, listener);
    if (written === null) await this.take(results, results, listener);
  }

  private writable(): readonly [step: string, results: string] {
    const { run } = this.options;
    return [join(run.dir, 'steps', run.step()), join(run.dir, 'results')];
  }

  /** @param root the requested part of the folder */
  private async take(folder: string, root: string, listener: FilesListener): Promise<void> {
    const what = this.keyOf(folder);
    const mirror = (await this.known(listener.signal)).mirrors[what];
    if (mirror === undefined) return;
    const below = relative(folder, root);
    const input = {
      what,
      root,
      isKnown: (path: string, sha256: string) => mirror.files[join(below, path)]?.sha256 === sha256,
      onRefused: (path: string, kind: string) => {
        listener.say(`${join(what, below, path)} is ${kind} and stays on the host`);
      },
    };
    const taken = await this.transfer.take(mirror.volume, below, input, listener);
    const { open, ...after } = await withTaken(mirror, folder, taken, below);
    await this.keep(what, below === '' || open === undefined ? after : { ...after, open });
  }

  async release(): Promise<void> {
    const { client, instance, run } = this.options;
    const isOwn = (volume: OwnVolume) => volume.run?.runId === run.runId;
    await removeVolumes(client, instance, isOwn);
    // Volumes that could not be removed stay in the record.
    if (!(await listVolumes(client, instance)).some(isOwn)) await rm(this.recordFile, { force: true });
  }

  private keyOf(folder: string): string {
    return relative(this.options.run.dir, folder);
  }

  /** Mirrors on this engine whose volume still exists. */
  private known(signal: AbortSignal): Promise<MirrorRecord> {
    this.record ??= this.readRecord(signal).catch((error: unknown) => {
      this.record = null;
      throw error;
    });
    return this.record;
  }

  private async readRecord(signal: AbortSignal): Promise<MirrorRecord> {
    const { client, instance, run } = this.options;
    const { host } = client.address;
    const volumes = await listVolumes(client, instance, signal);
    const own = volumes.filter((volume) => volume.run?.runId === run.runId);
    const text = await readPlainText(this.recordFile, fileLimits.stepJson.bytes).catch(() => 'null');
    const found = recordSchema.safeParse(jsonOrNull(text));
    const mirrors = found.success && found.data.host === host ? Object.entries(found.data.mirrors) : [];
    const names = new Set(own.map(({ name }) => name));
    return { host, mirrors: Object.fromEntries(mirrors.filter(([, { volume }]) => names.has(volume))) };
  }

  private async keep(key: string, mirror: Mirror): Promise<void> {
    const record = await this.record;
    if (record === null) return;
    record.mirrors[key] = mirror;
    await replaceFile(this.recordFile, JSON.stringify(record));
  }

  /** Sends the folder. Uses a new volume if files were deleted, because the archive API cannot remove any. */
  private async send(
    folder: string,
    listener: FilesListener,
    isLeftOut?: (path: string) => boolean,
  ): Promise<string> {
    const { client, instance, run } = this.options;
    const key = this.keyOf(folder);
    const known = (await this.known(listener.signal)).mirrors[key];
    const content = await readFolder(folder, known?.files, isLeftOut);
    const missing = known === undefined ? null : missingIn(known, content, folder);
    if (known !== undefined && missing !== null) {
      await this.transfer.put(known.volume, key, missing, listener);
      await this.keep(key, mirrored(known, content));
      return known.volume;
    }
    const name = `twb-${instance.slice(0, 6)}-${run.runId}-${basename(folder)}-${randomBytes(4).toString('hex')}`;
    const owner = { instance, runId: run.runId, runDir: run.dir };
    const request = { name, instance, run: owner, holder: await machineHolder() };
    await createVolume(client, request, { signal: listener.signal, onTrouble: listener.say });
    const empty = emptyMirror(name);
    const all = missingIn(empty, content, folder) ?? { folders: [], files: [] };
    await this.transfer.put(name, key, all, listener);
    await this.keep(key, mirrored(empty, content));
    return name;
  }
}

/** Another copy of the home may execute the run; its lease is not visible here. Throws run-busy with its location. */
async function requireOwn({ client, instance, run }: VolumeFilesOptions): Promise<void> {
  const volumes = await listVolumes(client, instance);
  const ofRun = volumes.filter((volume) => volume.run?.runId === run.runId);
  const own = await machineHolder();
  const other = ofRun.find(({ holder, run: of }) => !isSameHolder(holder, own) || of?.runDir !== run.dir);
  if (other === undefined) return;
  const { host } = client.address;
  throw new WorkbenchError(
    'run-busy',
    `The work of this run on ${host} belongs to the copy of it in ${other.run?.runDir ?? 'another folder'} on ${other.holder}`,
    {
      where: run.runId,
      remedy: `Resume or cancel it there. If that copy no longer exists, remove what it left: docker -H ${host} volume rm $(docker -H ${host} volume ls -q --filter label=${labelNames.runId}=${run.runId})`,
    },
  );
}

/** Sends only changed files. Throws run-busy for volumes of another copy of the run, docker-unreachable. */
export async function openVolumeFiles(options: VolumeFilesOptions): Promise<RunFiles> {
  await requireOwn(options);
  return new VolumeFiles(options);
}
