import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { RegistryLogin } from '../../contract/docker';
import { WorkbenchError } from '../../contract/errors';
import { jsonOrNull } from '../../platform/parse-json';

export const defaultRegistry = 'docker.io';

export interface ImageReference {
  /** Host with optional port. */
  readonly registry: string;
  /** As typed, without tag and digest. */
  readonly name: string;
  /** "latest" without tag and digest, because engines pull all tags otherwise. */
  readonly tag: string | null;
  /** "sha256:…". */
  readonly digest: string | null;
}

/** Canonical form of a registry's name. */
export function registryHost(text: string): string {
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '');
  return host === 'index.docker.io' || host === 'registry-1.docker.io' ? defaultRegistry : host;
}

/** The first part is a registry if it has a dot or port, or is "localhost" (Docker's rule). Throws input-invalid. */
export function parseImageReference(text: string): ImageReference {
  const [, name, tag, digest] =
    /^([\w.-]+(?::\d+)?(?:\/[\w.-]+)*?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text) ??
    [];
  if (name === undefined || name.split('/').some((part) => /^\.+$/.test(part))) {
    throw new WorkbenchError('input-invalid', `"${text}" is not an image reference`, {
      remedy: 'Use name:tag or name@sha256:…, for example nvcr.io/nvidia/tritonserver:25.02-py3.',
    });
  }
  const [first = '', ...rest] = name.split('/');
  const named = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return {
    registry: named ? registryHost(first) : defaultRegistry,
    name,
    tag: digest === undefined ? (tag ?? 'latest') : null,
    digest: digest ?? null,
  };
}

export function formatImageReference({ name, tag, digest }: ImageReference): string {
  return digest === null ? `${name}:${tag ?? 'latest'}` : `${name}@${digest}`;
}

/** "docker.io/library/busybox" for "busybox:1.36". Throws input-invalid. */
export function imageRepository(text: string): string {
  const { registry, name } = parseImageReference(text);
  const parts = name.split('/');
  const first = parts[0] ?? '';
  const path = parts.length > 1 && registryHost(first) === registry ? parts.slice(1) : parts;
  const official = registry === defaultRegistry && path.length === 1;
  return [registry, ...(official ? ['library'] : []), ...path].join('/');
}

/**
 * The digest for the reference's repository, since images may have digests of several; null without one.
 * @param digests "name@sha256:…"; some engines answer null, whatever the types say
 */
export function digestOf(reference: string, digests: readonly string[] | null): string | null {
  const repository = imageRepository(reference);
  const { digest } = parseImageReference(reference);
  const own = (digests ?? []).filter((candidate) => {
    const [name = ''] = candidate.split('@');
    try {
      return imageRepository(name) === repository;
    } catch {
      return false;
    }
  });
  const asked = own.find((candidate) => digest !== null && candidate.endsWith(`@${digest}`));
  return asked ?? own[0] ?? null;
}

/** For X-Registry-Auth. Never part of messages, journals or logs. */
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

/** Plain-text logins of a Docker configuration by registry host; credential helpers are never executed. */
export function parseDockerAuths(text: string): ReadonlyMap<string, RegistryAuth> {
  const found = new Map<string, RegistryAuth>();
  const parsed = configSchema.safeParse(jsonOrNull(text));
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

/** Reads $DOCKER_CONFIG/config.json or ~/.docker/config.json; never writes. */
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
  /** Keeps a login for this process; an empty password removes it. */
  login(login: Pick<RegistryLogin, 'registry' | 'username' | 'password'>): void;
  /** A login given here, or Docker's, or null. */
  authFor(reference: string): Promise<RegistryAuth | null>;
}

/** Kept in a closure, so that they cannot be serialized or inspected. @param env names Docker's configuration */
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
