import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Framework } from '../../main/contract/run/run-spec';
import { buildImage } from '../../main/docker/images/build-image';
import { type ImageRecipe, readImageRecipe } from '../../main/docker/images/known-images';
import { runContainer } from '../../main/docker/run-container';
import { readImageFacts } from '../../main/engine/docker/triton-command';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { readTestEngine } from '../support/docker';
import { fetchWheels, standIns } from '../support/ngc-stand-ins';
import { containersHere, quietFiles } from '../support/run-containers';
import { specFixture } from '../support/run-state';

const resources = resolve('resources');
const engine = await readTestEngine();
const tag = `run-${String(process.pid)}`;
const frameworks: readonly Framework[] = ['pyt', 'tf'];

/** What NVIDIA's images hold for GPUs is not in the stand-ins, and their packages are of this architecture. */
describe.skipIf(engine?.architecture !== 'amd64')(
  'client-gpu.Dockerfile on stand-ins for the NGC images',
  () => {
    let folder: string;
    const made: string[] = [];

    async function build(recipe: ImageRecipe, from: string | null): Promise<string> {
      if (engine === null) throw new Error('no engine');
      const lines: string[] = [];
      const { id } = await buildImage(engine.docker, {
        recipe,
        wheels: from,
        env: {},
        signal: new AbortController().signal,
        onLine: (line) => lines.push(line),
        onProgress: () => undefined,
      });
      made.push(recipe.reference);
      return id;
    }

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'workbench-client-gpu-'));
      const wheels = { client: join(folder, 'wheels'), sdk: join(folder, 'sdk-wheels') };
      for (const path of Object.values(wheels)) await mkdir(path);
      const { python } = homeLayout(defaultHome(process.env));
      await fetchWheels(python, resources, wheels, ['tf']);
      const client = await readImageRecipe(resources, 'client-cpu');
      const { sdk, pytorch } = standIns(client.reference, tag);
      await build(sdk, wheels.sdk);
      await build(pytorch, wheels.client);
    });
    afterAll(async () => {
      for (const reference of made.reverse())
        await engine?.docker.getImage(reference).remove({ force: true });
      await rm(folder, { recursive: true, force: true });
    });

    it.each(frameworks)(
      'gives a client that works as any user, with a root that is read-only: %s',
      async (framework) => {
        if (engine === null) return;
        const { sdk, pytorch } = standIns('', tag);
        const recipe = await readImageRecipe(resources, 'client-gpu', {
          SDK_IMAGE: sdk.reference,
          PYTORCH_IMAGE: pytorch.reference,
          ...(framework === 'tf' ? { FRAMEWORK: 'tf' } : {}),
        });
        const image = await build(recipe, null);
        const run = join(folder, 'run');
        await mkdir(run, { recursive: true });
        const { containers, files } = containersHere({
          facts: { memoryBytes: 4 * 2 ** 30, rootless: false, remapsUsers: false, gpuAccess: 'runtime' },
          instance: '0123456789abcdef',
          run: { runId: tag, dir: run, framework, step: () => 'export' },
          spec: specFixture(),
          engine: { kind: 'docker', gpus: [], shmSizeMiB: 64 },
          resources,
          bundles: resolve('out/main'),
        });
        const modules = framework === 'tf' ? 'tensorflow' : 'torch, onnxruntime, tritonclient.grpc';
        const commands = [
          'perf_analyzer --version 2>&1',
          'node --version',
          `python -c 'import ${modules}; print("imports")'`,
          'python -m toolkit versions',
          'id -u',
        ];
        const { name, body } = containers.client({
          image,
          ...(await readImageFacts(engine, { id: image, reference: recipe.reference })),
          task: 'export',
          command: ['/bin/sh', '-c', `set -e; ${commands.join('; ')}`],
          serverId: null,
          adoptable: false,
          mounts: await files.openClient(quietFiles),
          sharedMemory: 'none',
        });
        const lines: string[] = [];
        const end = await runContainer({
          client: engine,
          name,
          body,
          signal: new AbortController().signal,
          onLine: (_channel, line) => lines.push(line),
          onTrouble: (text) => lines.push(text),
        });
        const text = lines.join('\n');
        expect({ code: end.exitCode, text }).toMatchObject({ code: 0 });
        expect(text).toContain('Perf Analyzer Version');
        expect(text).toMatch(/^v22\./m);
        expect(text).toContain('imports');
        if (framework === 'pyt') expect(text).toMatch(/"onnxruntime": ?"\d/);
        // Of the base image, as its constraints would have it otherwise.
        expect(text).not.toContain('0.0.1');
        // Through NVIDIA's entry point, which a program of its own is started by.
        expect(lines[0]).toBe('== banner ==');
        expect(lines.at(-1)).not.toBe('0');
      },
    );
  },
);
