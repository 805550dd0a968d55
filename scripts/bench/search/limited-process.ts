import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../../../main/platform/files';

const periodUs = 100_000;

/** The files of a control group that say how much of a processor it has, by the version of control groups. */
const versions = [
  {
    root: '/sys/fs/cgroup/cpu',
    files: (quotaUs: number) => ({ 'cpu.cfs_period_us': `${periodUs}`, 'cpu.cfs_quota_us': `${quotaUs}` }),
  },
  { root: '/sys/fs/cgroup', files: (quotaUs: number) => ({ 'cpu.max': `${quotaUs} ${periodUs}` }) },
] as const;

/**
 * Gives a process so much of a processor, as the limit of a container does. Needs root. Throws where control groups cannot be
 * written.
 * @returns puts an end to it, when the process has ended
 */
export async function limitProcess(pid: number, share: number): Promise<() => Promise<void>> {
  const [first, second] = versions;
  const { root, files } = (await exists(first.root)) ? first : second;
  const group = join(root, `workbench-bench-${pid}`);
  await mkdir(group);
  for (const [name, text] of Object.entries(files(Math.round(share * periodUs)))) {
    await writeFile(join(group, name), text);
  }
  await writeFile(join(group, 'cgroup.procs'), String(pid));
  return () => rmdir(group);
}
