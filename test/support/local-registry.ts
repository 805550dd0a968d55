import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until';

/** Debian's registry, from the package docker-registry; null where it is not installed. */
export const registryProgram =
  ['/usr/bin/docker-registry', '/usr/local/bin/docker-registry'].find((path) => existsSync(path)) ?? null;

/** The password below, hashed by glibc's crypt with bcrypt. It guards test data on loopback and nothing else. */
const htpasswd = 'tester:$2b$04$.7pu.0gN1QEZE.1Ctq4Gwe5vPhSZCgygyGuuLr0h1SmjPd6j/2DHm\n';

export interface LocalRegistry {
  /** "127.0.0.1:49152"; engines talk plain HTTP to loopback. */
  readonly host: string;
  readonly login: { readonly registry: string; readonly username: string; readonly password: string };
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A real registry on loopback that asks for a login. */
export async function startLocalRegistry(program: string): Promise<LocalRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'workbench-registry-'));
  const host = `127.0.0.1:${await freePort()}`;
  await writeFile(join(folder, 'htpasswd'), htpasswd);
  const config = {
    version: '0.1',
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: host },
    auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } },
  };
  // JSON is YAML.
  await writeFile(join(folder, 'config.yml'), JSON.stringify(config));
  const child = spawn(program, ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until('the registry answers', async () => {
    const answer = await fetch(`http://${host}/v2/`).catch(() => null);
    return answer?.status === 401;
  });
  return {
    host,
    login: { registry: host, username: 'tester', password: 'local-test-only' },
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
