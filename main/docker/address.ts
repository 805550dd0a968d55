import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { shownAddress } from '../contract/address';
import { WorkbenchError } from '../contract/errors';
import { jsonOrNull } from '../platform/parse-json';

/** `host` is the address as typed. */
export type DockerAddress =
  | { readonly kind: 'unix'; readonly host: string; readonly socketPath: string }
  | {
      readonly kind: 'ssh';
      readonly host: string;
      readonly destination: string;
      readonly port: number | null;
    }
  | {
      readonly kind: 'tls';
      readonly host: string;
      readonly hostname: string;
      readonly port: number;
      readonly ca: string;
      readonly cert: string;
      readonly key: string;
    };

const defaultHost = 'unix:///var/run/docker.sock';
const metaSchema = z.looseObject({
  Endpoints: z.looseObject({ docker: z.looseObject({ Host: z.string() }) }),
});
const configSchema = z.looseObject({ currentContext: z.string().optional() });

function refuse(host: string, where: string, message: string, remedy: string): WorkbenchError {
  return new WorkbenchError('input-invalid', `${shownAddress(host)}: ${message}`, { where, remedy });
}

async function readCertificates(folder: string, host: string, where: string) {
  try {
    const [ca, cert, key] = await Promise.all(
      ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    return { ca: ca ?? '', cert: cert ?? '', key: key ?? '' };
  } catch (error) {
    throw refuse(
      host,
      where,
      `its certificates cannot be read (${(error as Error).message})`,
      'Put ca.pem, cert.pem and key.pem there. A Docker daemon without TLS is not used.',
    );
  }
}

function decodeOr(text: string, otherwise: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return otherwise;
  }
}

/** @param certificates folder with ca.pem, cert.pem and key.pem; null: plain TCP, which is refused */
async function parseHost(host: string, certificates: string | null, where: string): Promise<DockerAddress> {
  if (host.startsWith('unix://')) {
    const socketPath = host.slice('unix://'.length);
    if (!socketPath.startsWith('/'))
      throw refuse(host, where, 'not the path of a socket', 'For example unix:///run/docker.sock.');
    return { kind: 'unix', host, socketPath };
  }
  let url: URL;
  try {
    url = new URL(host);
  } catch {
    throw refuse(
      host,
      where,
      'not the address of a Docker Engine',
      'For example unix:///var/run/docker.sock or ssh://user@host.',
    );
  }
  if (url.protocol === 'ssh:') {
    const user = decodeOr(url.username, '-');
    // ssh would parse a leading "-" as an option.
    if (!/^[A-Za-z0-9[]/.test(url.hostname) || user.startsWith('-') || url.password !== '') {
      throw refuse(
        host,
        where,
        'not of the form ssh://user@host',
        'Configure keys and passwords in ssh itself.',
      );
    }
    return {
      kind: 'ssh',
      host,
      destination: `${user === '' ? '' : `${user}@`}${url.hostname}`,
      port: url.port === '' ? null : Number(url.port),
    };
  }
  if (url.protocol === 'tcp:' || url.protocol === 'https:') {
    if (certificates === null) {
      throw refuse(
        host,
        where,
        'a Docker daemon without TLS lets anybody on the network become root',
        'Use ssh://user@host, or TLS with DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH.',
      );
    }
    const port = url.port === '' ? 2376 : Number(url.port);
    const files = await readCertificates(certificates, host, where);
    return { kind: 'tls', host, hostname: url.hostname, port, ...files };
  }
  throw refuse(host, where, `"${url.protocol}" is not supported`, 'Use unix://, ssh:// or tcp:// with TLS.');
}

async function readJson<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.infer<Schema> | null> {
  const parsed = schema.safeParse(jsonOrNull(await readFile(path, 'utf8').catch(() => '')));
  return parsed.success ? parsed.data : null;
}

async function contextAddress(config: string, name: string): Promise<DockerAddress> {
  const id = createHash('sha256').update(name).digest('hex');
  const meta = await readJson(join(config, 'contexts', 'meta', id, 'meta.json'), metaSchema);
  if (meta === null) {
    throw refuse(name, 'Docker context', 'there is no such context', 'List them with "docker context ls".');
  }
  const host = meta.Endpoints.docker.Host;
  return parseHost(host, join(config, 'contexts', 'tls', id, 'docker'), `Docker context ${name}`);
}

/** DOCKER_HOST, DOCKER_CONTEXT, the current context, or the default socket. Throws input-invalid for plain TCP. */
export async function readDockerAddress(env: NodeJS.ProcessEnv): Promise<DockerAddress> {
  const read = (name: string): string => env[name] ?? '';
  const config = env['DOCKER_CONFIG'] ?? join(env['HOME'] ?? homedir(), '.docker');
  const host = read('DOCKER_HOST');
  if (host !== '') {
    const tls = read('DOCKER_TLS_VERIFY') !== '' || read('DOCKER_TLS') !== '';
    return parseHost(host, tls ? (env['DOCKER_CERT_PATH'] ?? config) : null, 'DOCKER_HOST');
  }
  const asked = read('DOCKER_CONTEXT');
  const current = (await readJson(join(config, 'config.json'), configSchema))?.currentContext ?? '';
  const name = asked === '' ? current : asked;
  if (name !== '' && name !== 'default') return contextAddress(config, name);
  return parseHost(defaultHost, null, 'default');
}
