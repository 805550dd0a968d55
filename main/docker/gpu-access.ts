import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { DockerFacts } from '../contract/machine';

const cdiKind = 'nvidia.com/gpu=';
const ofNvidia = (devices: readonly string[]): readonly string[] =>
  devices.filter((name) => name.startsWith(cdiKind));

type GpuOffer = Pick<Extract<DockerFacts, { reachable: true }>, 'runtimes' | 'cdiDevices'>;

/**
 * CDI if the engine has devices and lacks NVIDIA's runtime, otherwise driver "nvidia" (`--gpus`), which from 29.2
 * prefers CDI. Source: moby, daemon/devices_nvidia_linux.go.
 */
export function gpuAccessOf({ runtimes, cdiDevices }: GpuOffer): 'runtime' | 'cdi' {
  if (runtimes.includes('nvidia')) return 'runtime';
  return cdiDevices === null || ofNvidia(cdiDevices).length > 0 ? 'cdi' : 'runtime';
}

/** null if the engine lacks one. nvidia-ctk before 1.15 lists GPUs by number. @param devices null: not listed */
export function cdiNames(
  gpus: readonly string[],
  devices: readonly string[] | null,
): readonly string[] | null {
  // With unknown GPUs, the first stands for the idlest.
  const names = gpus.map((id) => `${cdiKind}${id === 'idlest' ? '0' : id}`);
  if (devices === null || names.every((name) => devices.includes(name))) return names;
  const single = ofNvidia(devices).filter((name) => name !== `${cdiKind}all`);
  const isWhole = gpus.every((id) => id.startsWith('GPU-')) && single.every((name) => /=\d+$/.test(name));
  return isWhole && single.length === gpus.length ? single : null;
}

/** From 28.2 engines load CDI devices before they restart containers. Source: moby, pull requests 49980 and 49990. */
export function knowsCdiAtStart(serverVersion: string): boolean {
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number);
  return major > 28 || (major === 28 && minor >= 2);
}

/** Whether a restart failed only because devices were not ready yet. */
export const wasTooEarly = (refusal: string): boolean =>
  /could not select device driver "cdi"|unresolvable CDI devices/i.test(refusal);

/** Without a full stop. */
export const writeCdiSpec =
  'sudo systemctl restart nvidia-cdi-refresh (NVIDIA Container Toolkit 1.18 and later), or: sudo nvidia-ctk cdi generate --device-name-strategy=uuid --output=/etc/cdi/nvidia.yaml';

const remedies: readonly (readonly [refusal: RegExp, remedy: string])[] = [
  [
    /could not select device driver "nvidia"/,
    'The Docker daemon does not find nvidia-container-runtime-hook on its PATH. Install the package nvidia-container-toolkit, then: sudo systemctl restart docker',
  ],
  [
    /could not select device driver "cdi"/,
    'Enable CDI in /etc/docker/daemon.json ({"features": {"cdi": true}}), then: sudo systemctl restart docker',
  ],
  [
    /unresolvable CDI devices/i,
    `The CDI specification does not name this device: it was added later, or devices are named by number. Write it again: ${writeCdiSpec}`,
  ],
  [
    /invoking the NVIDIA Container Runtime Hook directly/,
    'The NVIDIA Container Toolkit is set to a mode that refuses GPU requests of Docker: sudo nvidia-ctk config --in-place --set nvidia-container-runtime.mode=auto',
  ],
];

/** Remedy for a refused GPU request, or undefined. */
export const gpuRemedy = (refusal: string): string | undefined =>
  remedies.find(([pattern]) => pattern.test(refusal))?.[1];

/** PATH of systemd services. */
const serviceFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Whether the local daemon finds NVIDIA's hook. */
export async function hasNvidiaHook(path = ''): Promise<boolean> {
  const folders = [...serviceFolders, ...path.split(delimiter).filter((folder) => folder !== '')];
  const found = folders.map((folder) =>
    access(join(folder, 'nvidia-container-runtime-hook')).then(
      () => true,
      () => false,
    ),
  );
  return (await Promise.all(found)).includes(true);
}
