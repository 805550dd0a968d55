import type { RegistryLogin } from '../../contract/docker';
import type { RegistryAuth } from './docker-config';
import { readDockerAuths } from './docker-config';
import { parseImageReference, registryHost } from './image-reference';

export interface RegistryAuths {
  /** Keeps a login for as long as this process lives; an empty password forgets it. */
  login(login: Pick<RegistryLogin, 'registry' | 'username' | 'password'>): void;
  /** The login for a reference's registry: one given here, else one of Docker's configuration, else none. */
  authFor(reference: string): Promise<RegistryAuth | null>;
}

/**
 * Credentials of registries, in memory. They stand in a closure: neither JSON nor an inspected value shows them.
 * @param env names Docker's configuration, which is read anew for each pull
 */
export function createRegistryAuths(env: NodeJS.ProcessEnv): RegistryAuths {
  const given = new Map<string, RegistryAuth>();
  return {
    login({ registry, username, password }) {
      const serveraddress = registryHost(registry);
      if (password === '') given.delete(serveraddress);
      else given.set(serveraddress, { username, password, serveraddress });
    },
    async authFor(reference) {
      const { registry } = parseImageReference(reference);
      return given.get(registry) ?? (await readDockerAuths(env)).get(registry) ?? null;
    },
  };
}
