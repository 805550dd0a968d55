import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRegistryAuths, parseDockerAuths } from '../../../../main/docker/images/registry';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workbench-auth-'));
});
afterEach(() => rm(folder, { recursive: true }));

const base64 = (text: string) => Buffer.from(text).toString('base64');
const writeConfig = (config: unknown) => writeFile(join(folder, 'config.json'), JSON.stringify(config));

describe('createRegistryAuths', () => {
  it('chooses by the registry of the reference', async () => {
    const auths = createRegistryAuths({ DOCKER_CONFIG: folder });
    auths.login({ registry: 'https://nvcr.io', username: '$oauthtoken', password: 'key' });
    auths.login({ registry: 'docker.io', username: 'me', password: 'word' });
    expect(await auths.authFor('nvcr.io/nvidia/tritonserver:25.02-py3')).toEqual({
      username: '$oauthtoken',
      password: 'key',
      serveraddress: 'nvcr.io',
    });
    expect(await auths.authFor('debian')).toMatchObject({ username: 'me' });
    expect(await auths.authFor('ghcr.io/a/b')).toBeNull();
  });

  it('takes what was given before what Docker keeps, and that again when it was forgotten', async () => {
    await writeConfig({ auths: { 'nvcr.io': { auth: base64('$oauthtoken:kept') } } });
    const auths = createRegistryAuths({ DOCKER_CONFIG: folder });
    auths.login({ registry: 'nvcr.io', username: 'u', password: 'given' });
    expect(await auths.authFor('nvcr.io/a')).toMatchObject({ password: 'given' });
    auths.login({ registry: 'nvcr.io', username: 'u', password: '' });
    expect(await auths.authFor('nvcr.io/a')).toMatchObject({ username: '$oauthtoken', password: 'kept' });
  });

  it('writes nothing down and shows nothing of what it holds', async () => {
    await writeConfig({ auths: {} });
    const before = await readFile(join(folder, 'config.json'), 'utf8');
    const auths = createRegistryAuths({ DOCKER_CONFIG: folder });
    auths.login({ registry: 'nvcr.io', username: 'u', password: 'very-secret' });
    expect(JSON.stringify(auths) + inspect(auths, { depth: 9, showHidden: true })).not.toContain(
      'very-secret',
    );
    expect(await readFile(join(folder, 'config.json'), 'utf8')).toBe(before);
  });
});

describe('parseDockerAuths', () => {
  it('reads plain entries and identity tokens', () => {
    const auths = {
      'https://index.docker.io/v1/': { auth: base64('me:pass:with:colons') },
      'reg.example.com:5000': { auth: base64('me:'), identitytoken: 'token' },
    };
    const found = parseDockerAuths(JSON.stringify({ auths }));
    expect(found.get('docker.io')).toEqual({
      username: 'me',
      password: 'pass:with:colons',
      serveraddress: 'docker.io',
    });
    expect(found.get('reg.example.com:5000')).toMatchObject({ identitytoken: 'token' });
  });

  it('leaves alone what a credential helper keeps', () => {
    const config = { credsStore: 'desktop', credHelpers: { 'gcr.io': 'gcloud' }, auths: { 'nvcr.io': {} } };
    expect(parseDockerAuths(JSON.stringify(config)).size).toBe(0);
  });

  it.each([
    '',
    'no json',
    '[]',
    '{"auths": 3}',
    '{"auths": {"a": null}}',
    '{"auths": {"a": {"auth": "%%%"}}}',
  ])('finds nothing in %j', (text) => {
    expect(parseDockerAuths(text).size).toBe(0);
  });
});
