import { isLoopback } from '../contract/address';
import { errorText } from '../contract/error-text';
import type { Check, DockerFacts, GpuReport, HostFacts, ToolFacts } from '../contract/machine';
import type { Releases } from './releases';

/** Needs of the run. */
export interface PreflightPlan {
  readonly images: 'cpu' | 'ngc';
  readonly tritonImage: string;
  /** "26.07"; null if the image's name has none. */
  readonly release: string | null;
  /** The client image uses the release's PyTorch image. */
  readonly buildsClient: boolean;
  /** "all", or UUIDs of GPUs and MIG devices. */
  readonly gpuIds: readonly string[];
  /** /dev/shm of the Triton container. */
  readonly shmSizeMiB: number;
  readonly requestedPorts: readonly {
    readonly port: number;
    /** Process using it; null if none or unknown. */
    readonly owner: string | null;
    readonly free: boolean;
  }[];
  readonly format: string | null;
  readonly usesTensorFlow: boolean;
  /** null without an existing plan. */
  readonly tensorRtPlan: {
    readonly tensorrtVersion: string | null;
    readonly computeCapability: string | null;
  } | null;
  /** TensorRT version stated by the image; null or absent: unknown. */
  readonly imageTensorRt?: string | null;
  /** Disk space for images not yet present. */
  readonly imageBytesNeeded: number;
}

export interface PreflightInput {
  readonly gpus: GpuReport;
  /** GPUs belong to the engine's machine, even if remote. */
  readonly gpusOfEngine?: boolean;
  readonly host: HostFacts;
  readonly docker: DockerFacts;
  readonly releases: Releases;
  /** null: not needed. */
  readonly tools: ToolFacts | null;
  readonly plan: PreflightPlan;
}

export type Outcome = Omit<Check, 'id' | 'title'>;

export const ok = (finding: string): Outcome => ({ status: 'ok', finding, remedy: null });

/** The check does not apply, or lacks data. */
export const notApplicable = (finding: string): Outcome => ({
  status: 'not-applicable',
  finding,
  remedy: null,
});

export const warning = (finding: string, remedy: string): Outcome => ({ status: 'warning', finding, remedy });

export const problem = (finding: string, remedy: string): Outcome => ({ status: 'problem', finding, remedy });

/** Address of a remote engine, or null. */
export function remoteHost({ host }: DockerFacts): string | null {
  if (!/^(ssh|tcp|https?):\/\//.test(host)) return null;
  const [, address = ''] = /^\w+:\/\/(?:[^@/]*@)?([^@/]+)/.exec(host) ?? [];
  return isLoopback(address) ? null : host;
}

/** Address of a remote engine with unknown GPUs, or null. */
export const gpusElsewhere = ({
  docker,
  gpusOfEngine,
}: Pick<PreflightInput, 'docker' | 'gpusOfEngine'>): string | null =>
  gpusOfEngine === true ? null : remoteHost(docker);

export const unreachable = ({ host }: DockerFacts): Outcome =>
  notApplicable(`Not checked: Docker at ${host} is unreachable.`);

/** What the connection's own text may begin with, in place of which `text` stands. */
const beginnings = [errorText['docker-unreachable'].title, 'The Docker Engine did not answer'];

function withCause(text: string, { host, message }: Extract<DockerFacts, { reachable: false }>): string {
  const begun = beginnings.find((words) => message.startsWith(words));
  if (begun !== undefined) return `${text}${message.slice(begun.length)}`;
  return `${text}. ${message.includes(host) ? message : `${host}: ${message}`}`;
}

export function checkDocker({ docker }: PreflightInput): Outcome {
  if (docker.reachable) {
    const rootless = docker.rootless ? ', rootless' : '';
    return ok(`Docker ${docker.serverVersion} at ${docker.host}${rootless}.`);
  }
  const because = (text: string) => withCause(text, docker);
  const remote = remoteHost(docker);
  switch (docker.reason) {
    case 'permission':
    case 'api-version':
      return notApplicable(
        `Docker at ${docker.host} refused the request; see the check below for the cause.`,
      );
    case 'absent':
      return problem(
        because('Docker is not installed or not running'),
        remote === null
          ? 'Install it (Debian and Ubuntu): sudo apt-get install docker.io && sudo systemctl enable --now docker'
          : `Install it on that machine, or choose another engine: docker context ls`,
      );
    case 'timeout':
    case 'refused':
      return problem(
        because(docker.reason === 'timeout' ? 'Docker does not answer' : 'Docker refuses the connection'),
        remote === null ? 'sudo systemctl restart docker' : remoteRemedy(remote),
      );
    case 'other':
      return problem(
        because('Docker is unreachable'),
        remote === null
          ? 'Check its status: docker version; journalctl -u docker -n 50'
          : remoteRemedy(remote),
      );
  }
}

function remoteRemedy(host: string): string {
  const ssh = /^ssh:\/\/([^/]+)/.exec(host)?.[1];
  return ssh === undefined
    ? `Check its address, port and TLS certificates: docker --host ${host} --tlsverify version`
    : `Check that it answers over SSH: ssh ${sshArguments(ssh)} docker version`;
}

/** ssh arguments for "user@host:2222". */
function sshArguments(target: string): string {
  const port = /:(\d+)$/.exec(target)?.[1];
  return port === undefined ? target : `-p ${port} ${target.slice(0, -port.length - 1)}`;
}

export function checkDockerPermission({ docker }: PreflightInput): Outcome {
  if (docker.reachable) return ok(`This user can access ${docker.host}.`);
  if (docker.reason !== 'permission') return unreachable(docker);
  return problem(
    withCause('This user has no access to the Docker daemon', docker),
    'sudo usermod -aG docker $USER, then log out and in again. The docker group grants root-equivalent access.',
  );
}

export function checkDockerApi({ docker }: PreflightInput): Outcome {
  if (docker.reachable)
    return ok(`API ${docker.apiVersion}, negotiated with Docker ${docker.serverVersion}.`);
  if (docker.reason !== 'api-version') return unreachable(docker);
  return problem(
    `The workbench and Docker at ${docker.host} share no API version: ${docker.message}`,
    'Unset DOCKER_API_VERSION if it is set. Otherwise update the older side (Debian and Ubuntu): sudo apt-get install --only-upgrade docker.io (docker-ce where that is installed)',
  );
}
