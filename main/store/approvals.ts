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
  /** Full paths; a folder stands for all that is in it. */
  paths: z.array(entry),
  /** registry/repository, without tag and digest; a registry or namespace stands for all that is below it. */
  images: z.array(entry),
  /** Host names, without ports. */
  hosts: z.array(entry),
  /** Where programs run: names of hosts of the home, "Slurm", and names of Kubernetes clusters. Earlier versions had none. */
  machines: z.array(entry).optional(),
});
type Approved = z.infer<typeof approvedSchema>;

/** NVIDIA's own, which presets lead to. */
const allowedImages: readonly string[] = ['nvcr.io/nvidia'];

const mostBytes = 4 * 1024 * 1024;

/** What the person at this home agreed that runs may use outside of it, beside the code that is trusted by content. */
export interface Approvals {
  /** What of it nobody has agreed to. */
  missing(reach: Reach): Promise<Reach>;
  /** Keeps that the person agreed to all of it. */
  add(reach: Reach): Promise<void>;
  /** Until this process ends: a path that the person chose in a dialog, dropped, or that lies beside what was chosen. */
  give(path: string): void;
}

const isBelow = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

/** What an approval is kept as. A text that is no reference is refused elsewhere; here it is below nothing. */
function repositoryOf(reference: string): string {
  try {
    return imageRepository(reference);
  } catch {
    return JSON.stringify(reference);
  }
}

/**
 * @param options.file `approved.json` of the home. People may add to it: a registry, a namespace, a folder.
 * @param options.own folders of the workbench, whose files nobody is asked for
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
    // A damaged list approves nothing.
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
    // What was given for this session only is kept now.
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
      // An earlier version reads the file where it can.
      ...(machines.length === 0 ? {} : { machines }),
    };
    await writeFileAtomic(place, `${JSON.stringify(next, null, 2)}\n`);
  };
  return {
    missing: async (reach) => missingFrom(await read(), [...given], reach),
    // One after the other, over all processes: each adds to what the one before it wrote.
    add: async (reach) => {
      if (isEmptyReach(missingFrom(await read(), [], reach))) return;
      await withFileTurn(file, 'the approvals', (place) => add(place, reach));
    },
    give: (path) => {
      given.add(resolve(path));
    },
  };
}

/** The reach of a single path, named by what asks for it. */
export const pathReach = (field: string, value: string): Reach => ({
  ...emptyReach,
  paths: [{ field, value }],
});
