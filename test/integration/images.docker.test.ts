import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageWork } from '../../main/contract/docker';
import { buildImage } from '../../main/docker/images/build-image';
import {
  type ImageRecipe,
  listImages,
  removeImage,
  type WorkProgress,
} from '../../main/docker/images/known-images';
import { createImageWorks } from '../../main/docker/images/prepare-image';
import { pullImage } from '../../main/docker/images/pull-image';
import { createRegistryAuths } from '../../main/docker/images/registry';
import { homeLayout } from '../../main/platform/layout';
import { readTestEngine } from '../support/docker';
import { type LocalRegistry, registryProgram, startLocalRegistry } from '../support/local-registry';
import { rejection } from '../support/rejection';
import { until } from '../support/until';

const engine = await readTestEngine();
const run = randomBytes(4).toString('hex');
const repository = `triton-workbench-test/built-${run}`;

/** A recipe of its own content; `image` says what it is labelled as. */
function recipeOf(tag: string, ...lines: readonly string[]): ImageRecipe {
  const content = Buffer.from(['FROM debian:bookworm-slim', `ENV RUN=${run}`, ...lines, ''].join('\n'));
  return {
    image: 'client-cpu',
    reference: `${repository}:${tag}`,
    contentHash: '0'.repeat(64),
    files: [{ name: 'Dockerfile', content }],
    buildArgs: {},
  };
}

describe.skipIf(engine === null)('images of a real engine', () => {
  let docker: Docker;
  let home: string;
  beforeAll(async () => {
    if (engine === null) return;
    docker = engine.docker;
    home = await mkdtemp(join(tmpdir(), 'workbench-images-'));
  });
  afterAll(async () => {
    const left = (await docker.listImages()).flatMap(({ RepoTags }) => RepoTags ?? []);
    for (const tag of left.filter((name) => name.includes(run))) await docker.getImage(tag).remove();
    await rm(home, { recursive: true });
  });

  const build = (recipe: ImageRecipe, progress: WorkProgress[] = [], lines: string[] = []) =>
    buildImage(docker, {
      recipe,
      wheels: null,
      env: {},
      signal: new AbortController().signal,
      onLine: (line) => lines.push(line),
      onProgress: (now) => progress.push(now),
    });
  const find = async (reference: string) =>
    (await listImages(docker)).find(({ tags }) => tags.includes(reference));

  it('builds, lists and removes an image', async () => {
    const progress: WorkProgress[] = [];
    const lines: string[] = [];
    const recipe = recipeOf('plain', 'RUN echo one && printf "two\\rthree\\n"');
    const { id } = await build(recipe, progress, lines);
    expect(lines).toContain('one');
    expect(lines).toContain('three');
    expect(progress.map(({ fraction }) => fraction ?? 0)).toEqual(
      progress.map(({ fraction }) => fraction ?? 0).sort((a, b) => a - b),
    );
    expect(progress.at(-1)?.fraction).toBe(1);
    expect(await find(recipe.reference)).toMatchObject({ id, use: 'client', digests: [], containerCount: 0 });
    await removeImage(docker, id);
    expect(await find(recipe.reference)).toBeUndefined();
    expect((await rejection(removeImage(docker, id))).code).toBe('image-missing');
  });

  it('says why a build failed, with its last lines', async () => {
    const recipe = recipeOf('failing', 'RUN echo before the fault && exit 7');
    const error = await rejection(build(recipe));
    expect(error.code).toBe('image-build-failed');
    expect(error.message).toContain('returned a non-zero code: 7');
    expect(error.details).toContain('before the fault');
    expect(await find(recipe.reference)).toBeUndefined();
  });

  it('gives up a build that is cancelled, its container too', async () => {
    const controller = new AbortController();
    const marker = `marker-${run}`;
    const recipe = recipeOf('cancelled', `RUN echo ${marker} && sleep 600`);
    const building = buildImage(docker, {
      recipe,
      wheels: null,
      env: {},
      signal: controller.signal,
      onLine: (line) => {
        if (line === marker) controller.abort();
      },
      onProgress: () => undefined,
    });
    expect((await rejection(building)).code).toBe('cancelled');
    await until('the container of the build is gone', async () => {
      const containers = await docker.listContainers({ all: true });
      return !containers.some(({ Command }) => Command.includes(marker));
    });
    expect(await find(recipe.reference)).toBeUndefined();
  });

  it('keeps an image that a container uses, with all its names, and any of somebody else', async () => {
    const recipe = recipeOf('used', 'RUN echo used');
    const { id } = await build(recipe);
    await docker.getImage(id).tag({ repo: repository, tag: 'second' });
    const container = await docker.createContainer({ Image: id, Cmd: ['true'] });
    try {
      const error = await rejection(removeImage(docker, id));
      expect(error.code).toBe('docker-failed');
      expect(error.message).toContain('in use by');
      expect((await find(recipe.reference))?.tags).toHaveLength(2);
      expect((await find(recipe.reference))?.containerCount).toBe(1);
    } finally {
      await container.remove();
    }
    await removeImage(docker, id);
    expect(await find(recipe.reference)).toBeUndefined();
    const base = await find('debian:bookworm-slim');
    expect((await rejection(removeImage(docker, base?.id ?? ''))).code).toBe('input-invalid');
  });

  describe.skipIf(registryProgram === null)('pulled from a real registry', () => {
    let registry: LocalRegistry;
    let reference: string;
    let digest: string;
    const auths = createRegistryAuths({ DOCKER_CONFIG: '/nonexistent' });

    beforeAll(async () => {
      registry = await startLocalRegistry(registryProgram ?? '');
      auths.login(registry.login);
      const { id } = await build(
        recipeOf('pushed', 'RUN head -c 60000000 /dev/urandom > /bytes', 'RUN true'),
      );
      const name = `${registry.host}/${run}`;
      await docker.getImage(id).tag({ repo: name, tag: '1' });
      reference = `${name}:1`;
      const authconfig = await auths.authFor(reference);
      const pushing = await docker.getImage(reference).push({ authconfig: authconfig ?? undefined });
      await new Promise((resolve, reject) => {
        docker.modem.followProgress(pushing, (error: Error | null) => {
          if (error === null) resolve(undefined);
          else reject(error);
        });
      });
      digest =
        (await docker.getImage(reference).inspect()).RepoDigests.find((one) => one.startsWith(name)) ?? '';
      for (const tag of [reference, `${repository}:pushed`]) await docker.getImage(tag).remove();
    });
    afterAll(() => registry.stop());

    const pull = async (text: string, given = auths, signal = new AbortController().signal) => {
      const progress: WorkProgress[] = [];
      const pulled = await pullImage(docker, text, {
        auth: await given.authFor(text),
        signal,
        onProgress: (now) => progress.push(now),
      });
      return { ...pulled, progress };
    };

    it('pulls by tag and by digest', async () => {
      const byTag = await pull(reference);
      expect(byTag.digest).toBe(digest);
      expect(byTag.progress.at(-1)).toEqual({ fraction: 1, text: 'Pulled' });
      expect(byTag.progress.some(({ text }) => text.startsWith('Downloading'))).toBe(true);
      await docker.getImage(byTag.id).remove({ force: true });
      const byDigest = await pull(digest);
      expect(byDigest).toMatchObject({ digest, id: byTag.id });
      await docker.getImage(byDigest.id).remove({ force: true });
    });

    it('tells a missing image from a refused one', async () => {
      expect((await rejection(pull(`${registry.host}/${run}:absent`))).code).toBe('image-missing');
      expect((await rejection(pull(`${registry.host}/${run}@sha256:${'0'.repeat(64)}`))).code).toBe(
        'image-missing',
      );
      const none = createRegistryAuths({ DOCKER_CONFIG: '/nonexistent' });
      expect((await rejection(pull(reference, none))).code).toBe('registry-denied');
      none.login({ ...registry.login, password: 'wrong-word' });
      const error = await rejection(pull(reference, none));
      expect(error.code).toBe('registry-denied');
      expect(JSON.stringify(error)).not.toContain('wrong-word');
    });

    it('works on one image once at a time and can be cancelled', async () => {
      const updates: ImageWork[] = [];
      const works = createImageWorks({
        engine: () => Promise.resolve({ docker, architecture: 'amd64' }),
        layout: homeLayout(home),
        resources: join(import.meta.dirname, '..', '..', 'resources'),
        env: process.env,
        auths,
        emit: (work) => updates.push(work),
      });
      const id = works.pull(reference);
      expect(works.pull(reference)).toBe(id);
      works.cancel(id);
      expect(await works.ended(id)).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
      expect(await find(reference)).toBeUndefined();

      const again = works.pull(reference);
      expect(again).not.toBe(id);
      expect(await works.ended(again)).toMatchObject({ status: 'done', fraction: 1, image: reference });
      expect(works.list().map((work) => work.id)).toEqual([again, id]);
      expect(updates.at(-1)).toMatchObject({ id: again, status: 'done' });

      const absent = works.pull(`${registry.host}/${run}:absent`);
      expect(await works.ended(absent)).toMatchObject({ status: 'failed', error: { code: 'image-missing' } });
    });
  });
});
