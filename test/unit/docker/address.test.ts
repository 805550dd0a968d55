import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDockerAddress } from '../../../main/docker/address';
import { rejection } from '../../support/rejection';

let config: string;
beforeEach(async () => {
  config = await mkdtemp(join(tmpdir(), 'workbench-docker-config-'));
});
afterEach(() => rm(config, { recursive: true, force: true }));

const idOf = (name: string) => createHash('sha256').update(name).digest('hex');

async function addContext(name: string, Host: string): Promise<void> {
  const folder = join(config, 'contexts', 'meta', idOf(name));
  await mkdir(folder, { recursive: true });
  const meta = { Name: name, Metadata: {}, Endpoints: { docker: { Host, SkipTLSVerify: false } } };
  await writeFile(join(folder, 'meta.json'), JSON.stringify(meta));
}

async function addCertificates(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of ['ca', 'cert', 'key']) await writeFile(join(folder, `${name}.pem`), `the ${name}`);
}

const read = (env: Record<string, string> = {}) => readDockerAddress({ DOCKER_CONFIG: config, ...env });
const refusal = async (env: Record<string, string>) => (await rejection(read(env))).message;

describe('which engine is meant', () => {
  it('is the default socket when nothing is said', async () => {
    const expected = {
      kind: 'unix',
      host: 'unix:///var/run/docker.sock',
      socketPath: '/var/run/docker.sock',
    };
    expect(await read()).toEqual(expected);
    await writeFile(join(config, 'config.json'), '{"currentContext":"default"}');
    expect(await read()).toEqual(expected);
    await writeFile(join(config, 'config.json'), '{"currentCon');
    expect(await read()).toEqual(expected);
  });

  it('is DOCKER_HOST before DOCKER_CONTEXT before the current context', async () => {
    await addContext('current', 'unix:///current.sock');
    await addContext('asked', 'unix:///asked.sock');
    await writeFile(join(config, 'config.json'), '{"currentContext":"current"}');
    expect(await read()).toMatchObject({ socketPath: '/current.sock' });
    expect(await read({ DOCKER_CONTEXT: 'asked' })).toMatchObject({ socketPath: '/asked.sock' });
    const both = { DOCKER_CONTEXT: 'asked', DOCKER_HOST: 'unix:///host.sock' };
    expect(await read(both)).toMatchObject({ socketPath: '/host.sock' });
    expect(await read({ DOCKER_CONTEXT: 'default' })).toMatchObject({ socketPath: '/var/run/docker.sock' });
  });

  it('is looked for in HOME/.docker without DOCKER_CONFIG', async () => {
    await mkdir(join(config, '.docker'));
    await writeFile(join(config, '.docker', 'config.json'), '{"currentContext":"gone"}');
    expect((await rejection(readDockerAddress({ HOME: config }))).message).toContain('no such context');
  });

  it('is refused when the context is not there', async () => {
    expect(await refusal({ DOCKER_CONTEXT: 'gone' })).toContain('gone: there is no such context');
  });
});

describe('addresses', () => {
  it.each([
    ['ssh://me@gpu-box', 'me@gpu-box', null],
    ['ssh://gpu-box:2222', 'gpu-box', 2222],
    ['ssh://me@[::1]:22', 'me@[::1]', 22],
  ])('%s is an engine behind ssh', async (host, destination, port) => {
    expect(await read({ DOCKER_HOST: host })).toEqual({ kind: 'ssh', host, destination, port });
  });

  it('of an engine with TLS take the certificates of the environment or of the context', async () => {
    const certificates = join(config, 'certificates');
    await addCertificates(certificates);
    const tls = { kind: 'tls', ca: 'the ca', cert: 'the cert', key: 'the key' };
    const env = {
      DOCKER_HOST: 'tcp://gpu-box',
      DOCKER_TLS_VERIFY: '1',
      DOCKER_CERT_PATH: certificates,
    };
    expect(await read(env)).toMatchObject({ ...tls, hostname: 'gpu-box', port: 2376 });
    await addContext('remote', 'tcp://gpu-box:2400');
    await addCertificates(join(config, 'contexts', 'tls', idOf('remote'), 'docker'));
    expect(await read({ DOCKER_CONTEXT: 'remote' })).toMatchObject({ ...tls, port: 2400 });
  });

  it('of an engine without TLS are refused, wherever they come from', async () => {
    expect(await refusal({ DOCKER_HOST: 'tcp://127.0.0.1:2375' })).toContain('without TLS');
    await addContext('plain', 'tcp://127.0.0.1:2375');
    expect(await refusal({ DOCKER_CONTEXT: 'plain' })).toContain('certificates cannot be read');
    const env = { DOCKER_HOST: 'tcp://gpu-box', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/nowhere' };
    expect(await refusal(env)).toContain('certificates cannot be read');
  });

  it.each([
    'ssh://-oProxyCommand=touch%20x/',
    'ssh://-oProxyCommand=x@gpu-box',
    'ssh://%2DoProxyCommand=x@gpu-box',
    'ssh://%E0%A4@gpu-box',
    'ssh://me:secret@gpu-box',
    'ssh://',
    'unix://relative.sock',
    'npipe:////./pipe/docker_engine',
    'gpu-box',
  ])('%s is refused', async (host) => {
    expect((await rejection(read({ DOCKER_HOST: host }))).code).toBe('input-invalid');
  });
});
