import { toWire } from '../contract/errors';
import { shellLine } from '../contract/flag-text';
import type { Host, HostStatus } from '../contract/host/hosts';
import type { DockerFacts, GpuReport } from '../contract/machine';
import { fileLimits } from '../contract/reader-limits';
import { listContainers } from '../docker/containers';
import type { DockerLink } from '../docker/docker-link';
import { gpuReportBy, smiAnswer } from '../machine/gpu-report';
import { cleanLine } from '../platform/lines';
import type { SshLimits, SshOutput } from '../platform/ssh/ssh-run';

const limitMs = 10_000;
/** ssh's own timeout is shorter, as its message is better. */
const commandMs = 9500;
/** A hanging driver makes nvidia-smi hang. */
const smiMs = 6000;
const mostLetters = 300;
const mostNames = 50;
const mostMessage = 1000;

export interface HostAccess {
  readonly link: DockerLink;
  /** null: not reached by ssh. */
  readonly run: ((command: string, limits: SshLimits) => Promise<SshOutput>) | null;
}

type Reached = Extract<HostStatus, { reachable: true }>;
type Unreached = Extract<HostStatus, { reachable: false }>;
type Found = Omit<Reached, 'name' | 'address' | 'at'> | Omit<Unreached, 'name' | 'address' | 'at'>;

const short = (text: string): string => cleanLine(text).slice(0, mostLetters);
const shortAll = (texts: readonly string[]): readonly string[] => texts.slice(0, mostNames).map(short);

const cleanFacts = (facts: DockerFacts): DockerFacts =>
  facts.reachable
    ? {
        ...facts,
        serverVersion: short(facts.serverVersion),
        apiVersion: short(facts.apiVersion),
        runtimes: shortAll(facts.runtimes),
        cdiDevices: facts.cdiDevices === null ? null : shortAll(facts.cdiDevices),
        rootDir: short(facts.rootDir),
      }
    : { ...facts, message: cleanLine(facts.message).slice(0, mostMessage) };

const cleanGpus = (report: GpuReport): GpuReport => ({
  ...report,
  driverVersion: report.driverVersion === null ? null : short(report.driverVersion),
  cudaVersion: report.cudaVersion === null ? null : short(report.cudaVersion),
  gpus: report.gpus.map((gpu) => ({ ...gpu, name: short(gpu.name) })),
  problem: report.problem === null ? null : cleanLine(report.problem).slice(0, mostMessage),
});

/** Of `df -P -k`; null for other output. */
export function parseFreeBytes(text: string): number | null {
  const line = text.trim().split('\n').at(-1) ?? '';
  // File system, size, used, free, share: the file system's name may contain spaces.
  const kibibytes = /\s\d+\s+\d+\s+(\d{1,15})\s+\d+%\s/.exec(`${line} `)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

const reasons: readonly (readonly [RegExp, Unreached['reason']])[] = [
  [/Host key verification failed|IDENTIFICATION HAS CHANGED/, 'host-key'],
  [/Permission denied|Too many authentication failures/, 'login'],
  [/no answer within|no login within|timed out|did not answer within/i, 'timeout'],
  [/not resolve hostname|ENOTFOUND|no such context|certificates cannot be read/, 'address'],
];

function unreached(error: unknown): Found {
  const { message, remedy, details = '' } = toWire(error);
  const said = `${details}\n${message}`;
  return {
    reachable: false,
    reason: reasons.find(([pattern]) => pattern.test(said))?.[1] ?? 'other',
    message: cleanLine(message).slice(0, mostMessage),
    remedy: cleanLine(
      remedy ?? 'Check its address, and that its Docker daemon accepts your certificates.',
    ).slice(0, mostMessage),
  };
}

async function readEngine(link: DockerLink): Promise<Pick<Reached, 'images' | 'runs' | 'deployments'>> {
  const client = await link.connect();
  const [own, images] = await Promise.all([
    listContainers(client, await link.instance(), { timeoutMs: limitMs }),
    client.docker.listImages(),
  ]);
  const running = own.filter(({ info }) => info.state === 'running');
  const idsOf = (isWanted: (role: string) => boolean) => [
    ...new Set(running.filter(({ info }) => isWanted(info.role)).map(({ info }) => info.runId)),
  ];
  return {
    images: images.length,
    runs: idsOf((role) => role !== 'deployment'),
    deployments: idsOf((role) => role === 'deployment'),
  };
}

async function readGpus(run: NonNullable<HostAccess['run']>): Promise<GpuReport> {
  const limits = { timeoutMs: smiMs, maxBytes: fileLimits.nvidiaSmi.bytes };
  return gpuReportBy(async (args) => smiAnswer(await run(shellLine(['nvidia-smi', ...args]), limits))).catch(
    (error: unknown) => ({
      driverVersion: null,
      cudaVersion: null,
      gpus: [],
      problem: toWire(error).message,
    }),
  );
}

async function find({ link, run }: HostAccess): Promise<Found> {
  // A failed login is not nvidia-smi's or Docker's fault.
  await run?.('true', { timeoutMs: commandMs });
  const [gpus, docker] = await Promise.all([
    run === null ? null : readGpus(run),
    link.facts({ connectMs: smiMs }),
  ]);
  if (run === null && !docker.reachable) {
    // Again, for the error with its remedy.
    const again = await link.connect().then(() => null, unreached);
    return again ?? unreached(new Error(docker.message));
  }
  const disk =
    run === null || !docker.reachable || !docker.rootDir.startsWith('/')
      ? null
      : await run(shellLine(['df', '-P', '-k', docker.rootDir]), { timeoutMs: smiMs }).catch(() => null);
  const unknown = { images: null, runs: null, deployments: null };
  const engine = docker.reachable ? await readEngine(link).catch(() => unknown) : unknown;
  return {
    reachable: true,
    docker: cleanFacts(docker),
    gpus: gpus === null ? null : cleanGpus(gpus),
    diskFreeBytes: disk === null ? null : parseFreeBytes(disk.stdout),
    ...engine,
  };
}

/** Within 10 s; an unreachable host is a result, not an error. */
export async function readHostStatus(
  { name, address }: Pick<Host, 'name' | 'address'>,
  access: () => Promise<HostAccess>,
  now: () => Date,
): Promise<HostStatus> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Found>((resolve) => {
    timer = setTimeout(() => resolve(unreached(new Error(`no answer within ${limitMs / 1000} s`))), limitMs);
  });
  try {
    const found = await Promise.race([access().then(find).catch(unreached), late]);
    return { name, address, at: now().toISOString(), ...found };
  } finally {
    clearTimeout(timer);
  }
}
