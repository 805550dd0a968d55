import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCoreParts } from '../../../main/core/core-parts';
import { specFixture } from '../../support/run-state';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-parts-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Of a run with GPUs in containers. */
async function tritonImage(): Promise<string | undefined> {
  const parts = await createCoreParts({
    home,
    resources: join(process.cwd(), 'resources'),
    version: '',
    env: { PATH: home, DOCKER_HOST: `unix://${home}/none.sock` },
    workerFile: '',
    readerFile: '',
    printPdf: () => Promise.reject(new Error('prints nothing')),
    electron: null,
  });
  try {
    const spec = specFixture((one) => {
      one.engine = { kind: 'docker', gpus: ['all'], shmSizeMiB: 64, release: '26.07' };
    });
    return (await parts.engines.imageNames(spec, 'pyt'))[0];
  } finally {
    parts.reading.close();
  }
}

it("takes NVIDIA's images from its registry, and from the mirror that the settings name", async () => {
  expect(await tritonImage()).toBe('nvcr.io/nvidia/tritonserver:26.07-py3');
  await writeFile(join(home, 'settings.json'), '{"network.registry": "registry.example.com/nvidia"}');
  expect(await tritonImage()).toBe('registry.example.com/nvidia/tritonserver:26.07-py3');
});
