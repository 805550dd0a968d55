import { expect, it } from 'vitest';
import { deploymentEngineOf } from '../../../main/deployments/deployable-run';
import { environmentFixture, sourceFixture, specFixture } from '../../support/run-state';

const containers = (images: 'cpu' | 'ngc', more: { readonly tritonImage?: string } = {}) =>
  specFixture((spec) => {
    spec.engine = { kind: 'docker', images, gpus: [], shmSizeMiB: 1024, ...more };
  });

// An image that was loaded from a file, or tagged here, has no digest of a registry.
const image = { role: 'triton', reference: 'tritonserver:24.10-py3', id: 'sha256:1', digest: null } as const;
const environment = environmentFixture({ images: [image] });

it.each([
  ['an image built here', containers('cpu'), true],
  ['an image of NVIDIA without a digest', containers('ngc'), false],
  ['another image in place of the one built here', containers('cpu', { tritonImage: 'own:1' }), false],
])('starts Triton as %s has it', (_what, spec, builtHere) => {
  expect(deploymentEngineOf({ source: sourceFixture(spec), environment, runId: 'a' })).toMatchObject({
    kind: 'docker',
    imageId: 'sha256:1',
    builtHere,
  });
});
