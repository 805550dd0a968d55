import { fromWire, toWire, WorkbenchError } from '../../contract/errors';
import type { GpuFacts } from '../../contract/machine';
import { formatBytes } from '../../contract/numbers';
import { imageFamily } from '../../contract/run/engine-kinds';
import { type DockerEngineSpec, publishedGpuOf, type RunSpec } from '../../contract/run/run-spec';
import type { Hosts } from '../../hosts/hosts';
import { releaseGrade, type ReleaseNeeds } from '../../machine/fitting-release';
import { gpusOfPlan, idlestDevice } from '../../machine/preflight-gpu';
import type { Releases } from '../../machine/releases';
import { type HostFacts, releaseFor } from '../docker/run-images';
import { createTunnels, type Tunnels } from './tunnels';

/** Requirements of a run on the host, apart from Docker. */
export interface HostNeeds {
  readonly engine: DockerEngineSpec;
  /** null: any GPU model. */
  readonly targetGpu: RunSpec['targetGpu'] | null;
  /** Minimum memory per GPU; null: unknown. */
  readonly gpuMemoryBytes: number | null;
  /** null: not checked. */
  readonly release: { readonly needs: ReleaseNeeds; readonly releases: Releases } | null;
}

type GpuFit =
  { readonly gpus: readonly string[] | null; readonly misfit: null } | { readonly misfit: string };

/** "Tesla T4, NVIDIA A30", without duplicates. */
const namesOf = (gpus: readonly GpuFacts[]): string => [...new Set(gpus.map(({ name }) => name))].join(', ');

/** Why the GPU does not fit; null if it does. */
function gpuMisfit({ name, memoryTotalBytes }: GpuFacts, needs: HostNeeds): string | null {
  const { targetGpu, gpuMemoryBytes } = needs;
  if (targetGpu !== null && targetGpu !== undefined && publishedGpuOf(name) !== targetGpu) {
    return `${name} is not the ${targetGpu} that the run is for`;
  }
  if (gpuMemoryBytes === null || memoryTotalBytes === null || memoryTotalBytes >= gpuMemoryBytes) return null;
  return `${name} has ${formatBytes(memoryTotalBytes)} of memory, the model requires ${formatBytes(gpuMemoryBytes)}`;
}

/** Why the run's release, or every release, does not support these GPUs. */
function releaseMisfit(engine: DockerEngineSpec, facts: HostFacts, { release }: HostNeeds): string | null {
  const { gpus } = facts;
  if (release === null || gpus === null) return null;
  const { releases, needs } = release;
  const named = releases.releases.find((known) => known.release === engine.release);
  if (named !== undefined) {
    const used = gpusOfPlan({ gpus, plan: { gpuIds: engine.gpus } });
    if (releaseGrade(named, { gpus: used, driver: gpus.driverVersion }, releases) !== null) return null;
    const driver = gpus.driverVersion === null ? '' : ` with driver ${gpus.driverVersion}`;
    return `Release ${named.release} does not support ${namesOf(used)}${driver}`;
  }
  const fit = releaseFor(engine, needs, { gpus, releases });
  return fit?.kind === 'none' ? fit.finding : null;
}

function gpuFit(needs: HostNeeds, facts: HostFacts): GpuFit {
  const { engine } = needs;
  const found = facts.gpus?.gpus ?? [];
  if (facts.gpus === null) return { misfit: 'Its GPUs are not known' };
  if (found.length === 0) return { misfit: facts.gpus.problem ?? 'It has no NVIDIA GPU' };
  const absent = engine.gpus.filter(
    (id) =>
      id !== 'all' &&
      id !== 'idlest' &&
      gpusOfPlan({ gpus: facts.gpus ?? { gpus: [] }, plan: { gpuIds: [id] } }).length === 0,
  );
  if (absent.length > 0) return { misfit: `It has no GPU ${absent.join(', ')}` };
  const isChoice = engine.gpus.includes('idlest');
  const asked = isChoice ? found : gpusOfPlan({ gpus: facts.gpus, plan: { gpuIds: engine.gpus } });
  const misfits = asked.map((gpu) => gpuMisfit(gpu, needs));
  const suitable = asked.filter((_gpu, at) => misfits[at] === null);
  const [first] = misfits.filter((misfit) => misfit !== null);
  if (first === undefined) return { gpus: null, misfit: null };
  if (!isChoice || suitable.length === 0) return { misfit: first };
  const device = idlestDevice({ gpus: suitable });
  return device === null ? { misfit: first } : { gpus: [device], misfit: null };
}

/** Checks GPU model, GPU memory and release. Skips what changes quickly: Docker's availability, disk, ports. */
export function hostFit(needs: HostNeeds, facts: HostFacts): GpuFit {
  const { engine } = needs;
  if (engine.gpus.length === 0 || imageFamily(engine) === 'cpu') return { gpus: null, misfit: null };
  const fit = gpuFit(needs, facts);
  if (fit.misfit !== null) return fit;
  const misfit = releaseMisfit({ ...engine, gpus: [...(fit.gpus ?? engine.gpus)] }, facts, needs);
  return misfit === null ? fit : { misfit: misfit.replace(/\.$/, '') };
}

/** The idle timeout of ssh sessions. */
const idleMs = 60_000;

/** An address on the host and its forwarded local address. */
export interface SeenAddress {
  readonly host: string;
  /** `host:port` as the host sees it. */
  readonly there: string;
  /** From {@link HostReach.open}. */
  readonly here: string;
}

/** Replaces the local address in a message by the host's. */
export function seenMessage(message: string, { host, there, here }: SeenAddress): string {
  const text = message.replaceAll(here, `${there} on ${host}`);
  return /other side closed|ECONNRESET|socket hang up/.test(text)
    ? `${text}. No process listens on this address of the host, or it closed the connection`
    : text;
}

/** Rethrows errors of `work` with the host's address. */
export async function asSeen<Value>(address: SeenAddress | null, work: () => Promise<Value>): Promise<Value> {
  if (address === null) return work();
  try {
    return await work();
  } catch (error) {
    const wire = toWire(error);
    throw fromWire({ ...wire, message: seenMessage(wire.message, address) });
  }
}

/** Reaches services on hosts through ssh tunnels; nothing is published. */
export interface HostReach {
  /** Local address that forwards to the host's. Throws host-unknown, host-unreachable, engine-unavailable. */
  open(host: string, address: string): Promise<string>;
  /** Why the last connection to that address failed; null if it did not. */
  problem(host: string, address: string): string | null;
  close(): void;
}

/** @param env of ssh */
export function createHostReach(hosts: Pick<Hosts, 'ssh'>, env: NodeJS.ProcessEnv): HostReach {
  const known = new Map<string, { readonly place: string; readonly tunnels: Tunnels }>();
  const tunnelsOf = async (host: string): Promise<Tunnels> => {
    const target = await hosts.ssh(host);
    if (target === null) {
      throw new WorkbenchError('engine-unavailable', `The host ${host} is not reached by ssh`, {
        where: 'host',
        remedy: 'Add it with an address ssh://user@host.',
      });
    }
    const place = JSON.stringify(target);
    const found = known.get(host);
    if (found?.place === place) return found.tunnels;
    found?.tunnels.close();
    const tunnels = createTunnels(target, env, idleMs);
    known.set(host, { place, tunnels });
    return tunnels;
  };
  return {
    // A signal would also close an established tunnel; ssh has its own timeout.
    open: async (host, address) => (await tunnelsOf(host)).open(address, new AbortController().signal),
    problem: (host, address) => known.get(host)?.tunnels.problem(address) ?? null,
    close: () => {
      for (const { tunnels } of known.values()) tunnels.close();
      known.clear();
    },
  };
}
