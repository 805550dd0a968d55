import { WorkbenchError } from '../contract/errors';
import { type NewHost, parseHostAddress } from '../contract/host/hosts';
import { createDockerLink, type DockerLink } from '../docker/docker-link';
import { type SshLimits, type SshOutput, sshRun } from '../platform/ssh/ssh-run';
import type { SshTarget } from '../platform/ssh/ssh-target';

/** How a host is reached; connects at the first use. */
export interface HostConnection {
  readonly link: DockerLink;
  /** Also by a Docker context; null where Docker is reached by TLS. Throws input-invalid where there is no such context. */
  readonly ssh: () => Promise<SshTarget | null>;
  /** Runs a command of the host's shell. Throws host-unreachable, cancelled, and engine-unavailable without ssh. */
  readonly run: (command: string, limits?: SshLimits) => Promise<SshOutput>;
}

/** The environment in which the docker command reaches the host. */
function dockerEnvironment({ address, certificates }: NewHost, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const bare = {
    ...env,
    DOCKER_HOST: undefined,
    DOCKER_CONTEXT: undefined,
    DOCKER_TLS: undefined,
    DOCKER_TLS_VERIFY: undefined,
  };
  const place = parseHostAddress(address);
  if (place?.kind === 'context') return { ...bare, DOCKER_CONTEXT: place.context };
  if (place?.kind !== 'tcp') return { ...bare, DOCKER_HOST: address };
  const folder = certificates ?? env['DOCKER_CERT_PATH'];
  return { ...bare, DOCKER_HOST: address, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder };
}

/** @param options.env environment of ssh and of the Docker configuration */
export function createHostConnection(
  host: NewHost,
  options: { readonly env: NodeJS.ProcessEnv; readonly instanceFile: string },
): HostConnection {
  const { env, instanceFile } = options;
  const link = createDockerLink({ env: dockerEnvironment(host, env), instanceFile });
  const ssh: HostConnection['ssh'] = async () => {
    const address = await link.address();
    return address.kind === 'ssh' ? { destination: address.destination, port: address.port } : null;
  };
  const requireSsh = async (): Promise<SshTarget> => {
    const target = await ssh();
    if (target !== null) return target;
    throw new WorkbenchError('engine-unavailable', `The host ${host.name} is not reached by ssh`, {
      where: 'host',
      remedy: 'Add it with an address ssh://user@host.',
    });
  };
  return {
    link,
    ssh,
    run: async (command, limits = {}) => sshRun(await requireSsh(), command, { env, ...limits }),
  };
}
