import { resolve, sep } from 'node:path';
import { z } from 'zod';
import { emptyReach, isEmptyReach, type Reach, type Reached } from '../contract/reach';
import { imageRepository } from '../docker/images/registry';
import { writeFileAtomic } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';
import { readBoundedFile } from '../platform/plain-entry';
import { withFileTurn } from './file-lease';

const entry = z.strictObject({ value: z.string(), at: z.string() });

const approvedSchema = z.strictObject({
  version: z.literal(1),
  /** Absolute; a folder includes its content. */
  paths: z.array(entry),
  /** registry/repository without tag; a registry or namespace includes everything below. */
  images: z.array(entry),
  /** Host names without ports. */
  hosts: z.array(entry),
  /** Hosts of the home, "Slurm", and Kubernetes clusters. Missing in earlier versions. */
  machines: z.array(entry).optional(),
});
type Approved = z.infer<typeof approvedSchema>;

/** NVIDIA's images, which presets use. */
const allowedImages: readonly string[] = ['nvcr.io/nvidia'];

const mostBytes = 4 * 1024 * 1024;

/** Consent of the user to files, images, code and machines. */
export interface GivenConsent {
  readonly trust?: boolean | undefined;
  readonly allowRemoteLoad?: boolean | undefined;
  /** The part of the specification that was typed; absent for files and runs from elsewhere. */
  readonly typed?: unknown;
  /** The file given as specification; "-" (stdin) has no folder. */
  readonly file?: string | undefined;
}

/** Consent to resources outside the home; model code is trusted separately by content. */
export interface Approvals {
  /** The part without consent. */
  missing(reach: Reach): Promise<Reach>;
  add(reach: Reach): Promise<void>;
  /** For this process: paths that the user chose or dropped, and their neighbors. */
  give(path: string): void;
}

const isBelow = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

/** Stored form of an image. Invalid references match nothing; they are refused elsewhere. */
function repositoryOf(reference: string): string {
  try {
    return imageRepository(reference);
  } catch {
    return JSON.stringify(reference);
  }
}

/**
 * @param options.file `approved.json` of the home, editable by the user (registry, namespace, folder)
 * @param options.own folders of the workbench, which need no consent
 */
export function createApprovals(options: {
  readonly file: string;
  readonly own: readonly string[];
  readonly now: () => Date;
}): Approvals {
  const { file, own, now } = options;
  const given = new Set<string>();
  const read = async (): Promise<Approved> => {
    const content = await readBoundedFile(file, mostBytes);
    const approved = 'text' in content ? approvedSchema.safeParse(jsonOrNull(content.text)).data : undefined;
    // A damaged list counts as empty.
    return approved ?? { version: 1, paths: [], images: [], hosts: [] };
  };
  const missingFrom = (approved: Approved, folders: readonly string[], reach: Reach): Reach => {
    const places = [
      ...own.map((path) => resolve(path)),
      ...folders,
      ...approved.paths.map(({ value }) => value),
    ];
    const images = [...allowedImages, ...approved.images.map(({ value }) => value)];
    const hosts = new Set(approved.hosts.map(({ value }) => value));
    const machines = new Set((approved.machines ?? []).map(({ value }) => value));
    return {
      paths: reach.paths.filter(({ value }) => !places.some((place) => isBelow(place, resolve(value)))),
      images: reach.images.filter(({ value }) => !images.some((one) => isBelow(one, repositoryOf(value)))),
      hosts: reach.hosts.filter(({ value }) => !hosts.has(value)),
      machines: reach.machines.filter(({ value }) => !machines.has(value)),
    };
  };
  const add = async (place: string, reach: Reach): Promise<void> => {
    const approved = await read();
    // Session consent is now stored.
    const open = missingFrom(approved, [], reach);
    if (isEmptyReach(open)) return;
    const at = now().toISOString();
    const extended = (list: Approved['paths'], more: readonly Reached[], as: (value: string) => string) => [
      ...list,
      ...[...new Set(more.map(({ value }) => as(value)))].map((value) => ({ value, at })),
    ];
    const machines = extended(approved.machines ?? [], open.machines, (machine) => machine);
    const next: Approved = {
      version: 1,
      paths: extended(approved.paths, open.paths, (path) => resolve(path)),
      images: extended(approved.images, open.images, repositoryOf),
      hosts: extended(approved.hosts, open.hosts, (host) => host),
      // Omitted if empty, for earlier versions.
      ...(machines.length === 0 ? {} : { machines }),
    };
    await writeFileAtomic(place, `${JSON.stringify(next, null, 2)}\n`);
  };
  return {
    missing: async (reach) => missingFrom(await read(), [...given], reach),
    // Serialized across processes, as each extends the list.
    add: async (reach) => {
      if (isEmptyReach(missingFrom(await read(), [], reach))) return;
      await withFileTurn(file, 'the approvals', (place) => add(place, reach));
    },
    give: (path) => {
      given.add(resolve(path));
    },
  };
}

/** A single path and its field. */
export const pathReach = (field: string, value: string): Reach => ({
  ...emptyReach,
  paths: [{ field, value }],
});
