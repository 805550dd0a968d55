import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { RegistryLogin } from '../../contract/docker';
import { parseImageReference, registryHost } from './image-reference';

/** As the engine wants it in X-Registry-Auth. Never part of a message, a journal or a log. */
export type RegistryAuth = { readonly username: string; readonly serveraddress: string } & (
  { readonly password: string } | { readonly identitytoken: string }
);

const configSchema = z.looseObject({
  auths: z
    .record(
      z.string(),
      z.looseObject({ auth: z.string().optional(), identitytoken: z.string().optional() }).nullable(),
    )
    .optional(),
});

/**
 * Logins that stand in a Docker configuration file in the clear, by registry host. Pure.
 * Those that a credential helper keeps are not there: helpers are programs, and none is run. A file that is not JSON
 * holds none.
 */
export function parseDockerAuths(text: string): ReadonlyMap<string, RegistryAuth> {
  const found = new Map<string, RegistryAuth>();
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    return found;
  }
  const parsed = configSchema.safeParse(config);
  for (const [address, entry] of Object.entries(parsed.success ? (parsed.data.auths ?? {}) : {})) {
    const serveraddress = registryHost(address);
    const [, username, password] =
      /^([^:]+):(.*)$/s.exec(Buffer.from(entry?.auth ?? '', 'base64').toString('utf8')) ?? [];
    if (entry?.identitytoken !== undefined && entry.identitytoken !== '') {
      found.set(serveraddress, {
        username: username ?? '',
        identitytoken: entry.identitytoken,
        serveraddress,
      });
    } else if (username !== undefined && password !== undefined) {
      found.set(serveraddress, { username, password: password.replace(/\0+$/, ''), serveraddress });
    }
  }
  return found;
}

/** Reads $DOCKER_CONFIG/config.json or ~/.docker/config.json; nothing where there is none. It is never written. */
async function readDockerAuths(env: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, RegistryAuth>> {
  const folder = env['DOCKER_CONFIG'];
  const path = join(
    folder === undefined || folder === '' ? join(homedir(), '.docker') : folder,
    'config.json',
  );
  const text = await readFile(path, 'utf8').catch(() => '');
  return parseDockerAuths(text);
}

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
