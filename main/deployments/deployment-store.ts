import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Deployment,
  type DeploymentBody,
  deploymentEntrySchema,
  deploymentIdPattern,
  reduceDeployment,
} from '../contract/deployment/deployment';
import { WorkbenchError } from '../contract/errors';
import { didYouMean } from '../contract/fields/nearest-name';
import type { DeploymentPaths } from '../engine/engine';
import { exists, makeFolder } from '../platform/files';
import { createEntryJournal } from '../store/entry-journal';
import {
  holderText,
  leaseBeside,
  type LeaseHolder,
  readLiveHolder,
  takeFileLease,
} from '../store/file-lease';

const journalName = 'journal.jsonl';

/** Suffixes of incomplete folders, which the next lease holder removes. */
const unfinished = { made: 'new', removed: 'removed' } as const;

export interface DeploymentFolder extends DeploymentPaths {
  readonly journal: string;
  /** Configuration and samples of a version, outside the repository. */
  readonly kept: (model: string, version: number) => string;
}

const folderAt = (dir: string): DeploymentFolder => ({
  dir,
  repository: join(dir, 'models'),
  log: join(dir, 'triton.log'),
  journal: join(dir, journalName),
  kept: (model, version) => join(dir, 'versions', model, String(version)),
});

const notCreated = (where: string): WorkbenchError =>
  new WorkbenchError('journal-corrupt', 'The journal does not begin with the creation of a deployment', {
    where,
  });

export interface StoredDeployment {
  readonly deployment: Deployment;
  readonly folder: DeploymentFolder;
}

const journal = createEntryJournal<DeploymentBody>('deployment', deploymentEntrySchema);

/** A folder with a journal per deployment. */
export class DeploymentStore {
  constructor(private readonly root: string) {}

  /** Ids, oldest first; ignores other folders. */
  async ids(): Promise<readonly string[]> {
    const names = await readdir(this.root).catch(() => []);
    return names.filter((name) => deploymentIdPattern.test(name)).sort();
  }

  /** Throws deployment-unknown, journal-corrupt. */
  async load(id: string): Promise<StoredDeployment> {
    const folder = folderAt(join(this.root, id));
    if (!deploymentIdPattern.test(id) || !(await exists(folder.dir))) {
      throw new WorkbenchError(
        'deployment-unknown',
        `Unknown deployment "${id}"${didYouMean(id, await this.ids())}`,
      );
    }
    const deployment = reduceDeployment(await journal.read(folder.journal));
    if (deployment !== null && deployment.id === id) return { deployment, folder };
    throw notCreated(folder.journal);
  }

  /** Creates folder and first entries atomically. Requires the lease. Throws input-invalid for a taken name. */
  async create(
    body: DeploymentBody & { readonly type: 'deployment-created' },
    ...more: readonly DeploymentBody[]
  ): Promise<StoredDeployment> {
    const folder = folderAt(join(this.root, body.id));
    if (await exists(folder.dir)) {
      throw new WorkbenchError('input-invalid', `A deployment "${body.id}" already exists`, {
        where: 'name',
        remedy: 'Choose another name, or update that deployment with --to.',
      });
    }
    const making = folderAt(`${folder.dir}.${unfinished.made}`);
    await makeFolder(making.repository);
    const { deployment } = await this.append(making, body, ...more);
    await rename(making.dir, folder.dir);
    return { deployment, folder };
  }

  /** Syncs, and returns the new state. Requires the lease. */
  async append(folder: DeploymentFolder, ...bodies: readonly DeploymentBody[]): Promise<StoredDeployment> {
    const deployment = reduceDeployment(await journal.append(folder.journal, bodies));
    if (deployment !== null) return { deployment, folder };
    throw notCreated(folder.journal);
  }

  /** Exclusive across processes of the home. Throws deployment-busy and input-invalid. */
  async hold<Value>(id: string, work: () => Promise<Value>): Promise<Value> {
    // The id becomes a file name.
    if (!deploymentIdPattern.test(id)) {
      throw new WorkbenchError('input-invalid', `"${id}" cannot be the name of a deployment`, {
        where: 'name',
        remedy: 'Use lower-case letters, digits and "-", with a letter or a digit first.',
      });
    }
    await makeFolder(this.root);
    const { release, holder } = await takeFileLease(leaseBeside(join(this.root, id)), id);
    if (release === undefined) {
      const who = holder === null ? 'Another process' : holderText(holder);
      throw new WorkbenchError('deployment-busy', `${who} is changing ${id}`, { where: id });
    }
    try {
      for (const ending of Object.values(unfinished)) {
        await rm(`${join(this.root, id)}.${ending}`, { recursive: true, force: true });
      }
      return await work();
    } finally {
      await release();
    }
  }

  /** The live lease holder, or null. */
  holder(id: string): Promise<LeaseHolder | null> {
    return readLiveHolder(leaseBeside(join(this.root, id)));
  }

  /** Ids with incomplete folders. */
  async leftovers(): Promise<readonly string[]> {
    const names = await readdir(this.root).catch(() => []);
    const endings = Object.values(unfinished).join('|');
    return names.flatMap((name) => new RegExp(`^([^.]+)\\.(?:${endings})$`).exec(name)?.[1] ?? []);
  }

  /** Renames first, then deletes. */
  async remove({ dir }: Pick<DeploymentFolder, 'dir'>): Promise<void> {
    const gone = `${dir}.${unfinished.removed}`;
    await rename(dir, gone);
    await rm(gone, { recursive: true, force: true });
  }
}
