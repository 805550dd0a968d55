import { formatBytes } from '../contract/numbers';
import { remoteHost } from './preflight-docker';
import { notApplicable, ok, type Outcome, type PreflightInput, problem, warning } from './preflight-input';

/** Left free beside the images: layers are unpacked next to their downloads, and runs write models and results. */
const reserveBytes = 2 * 2 ** 30;
/** What Docker gives where nothing is said; the Python backend alone may fill it. */
const dockerDefaultShmMiB = 64;
const mebibyte = 2 ** 20;

export function checkDisk({ docker, host, plan }: PreflightInput): Outcome {
  const needed = plan.imageBytesNeeded;
  const lines: string[] = [];
  if (docker.reachable && docker.rootFreeBytes !== null) {
    const free = docker.rootFreeBytes;
    const line =
      needed === 0
        ? `${docker.rootDir}: ${formatBytes(free)} free, all images are present`
        : `${docker.rootDir}: ${formatBytes(free)} free, the images need ${formatBytes(needed)}`;
    const prune = `docker image prune -a removes the images that no container uses (docker system df shows the usage), or move Docker's data-root to a larger disk`;
    if (free < needed) {
      return problem(
        `${line}; ${formatBytes(needed - free)} more are needed.`,
        `Free some disk space: ${prune}.`,
      );
    }
    if (free < needed + reserveBytes) {
      return warning(
        `${line}; less than ${formatBytes(reserveBytes)} would be left.`,
        `Free some disk space: ${prune}.`,
      );
    }
    lines.push(line);
  }
  for (const { path, freeBytes } of host.disks) {
    // Where Docker keeps its images there is no second line of the same folder.
    if (docker.reachable && docker.rootFreeBytes !== null && path === docker.rootDir && lines.length > 0)
      continue;
    const line = `${path}: ${formatBytes(freeBytes)} free`;
    if (freeBytes < reserveBytes) {
      return warning(
        `${line}, less than the ${formatBytes(reserveBytes)} that runs may write.`,
        `Free some disk space: du -xh --max-depth=1 ${path} | sort -h shows what uses it.`,
      );
    }
    lines.push(line);
  }
  return lines.length === 0 ? notApplicable('The free disk space is unknown.') : ok(`${lines.join('; ')}.`);
}

/** The container's own /dev/shm is memory of the machine; that of the machine is not used. */
export function checkSharedMemory({ docker, host, plan }: PreflightInput): Outcome {
  const asked = `The Triton container gets ${String(plan.shmSizeMiB)} MiB of /dev/shm`;
  if (plan.shmSizeMiB <= dockerDefaultShmMiB) {
    return warning(
      `${asked}, no more than Docker's default: models of the Python backend fail on large tensors.`,
      'Set it to 1 GiB: --set engine.shmSizeMiB=1024',
    );
  }
  const remote = remoteHost(docker);
  if (remote !== null) return ok(`${asked}, at ${remote}.`);
  const free = host.memoryFreeBytes;
  const line = `${asked}; this machine has ${formatBytes(free)} of memory free`;
  const fitMiB = Math.max(dockerDefaultShmMiB * 2, Math.floor(free / 2 / mebibyte));
  if (plan.shmSizeMiB * mebibyte > free) {
    return problem(
      `${line}, which is less: the container can be killed when it fills /dev/shm.`,
      `Free memory (ps aux --sort=-rss | head shows what uses it), or request less: --set engine.shmSizeMiB=${String(fitMiB)}`,
    );
  }
  const own = host.sharedMemoryBytes;
  return ok(
    own === null ? `${line}.` : `${line}, and a /dev/shm of ${formatBytes(own)} outside of containers.`,
  );
}

export function checkPorts({ docker, plan }: PreflightInput): Outcome {
  const remote = remoteHost(docker);
  if (plan.requestedPorts.length === 0)
    return notApplicable('No fixed ports requested: the engine uses free ports.');
  if (remote !== null) return notApplicable(`Not checked: the ports are at ${remote}.`);
  const taken = plan.requestedPorts.filter(({ free }) => !free);
  if (taken.length === 0) {
    return ok(`Free: ${plan.requestedPorts.map(({ port }) => String(port)).join(', ')}.`);
  }
  const who = taken.map(
    ({ port, owner }) => `port ${String(port)} is used by ${owner ?? 'an unknown process'}`,
  );
  const filter = taken.map(({ port }) => `sport = :${String(port)}`).join(' or ');
  return problem(
    `${sentence(who.join(', '))}.`,
    `Stop the process (sudo ss -ltnp '${filter}' shows it), choose another port, or leave the port empty to use a free port.`,
  );
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
