import { expect, it } from 'vitest';
import { deployableRun, deploymentEngineOf } from '../../../main/deployments/deployable-run';
import { StepManifests } from '../../../main/store/file-manifest';
import { runFolder } from '../../../main/store/run-folder';
import { RunKey } from '../../../main/store/run-key';
import { rejection } from '../../support/rejection';
import { repositorySpec } from '../../support/repository-source';
import {
  completeState,
  environmentFixture,
  runCreated,
  sourceFixture,
  specFixture,
} from '../../support/run-state';

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

it('serves a repository as it is, as its run did', () => {
  const engineOf = (spec = repositorySpec()) =>
    deploymentEngineOf({ source: sourceFixture(spec), environment, runId: 'a' });
  expect(engineOf()).toEqual({ kind: 'local', framework: 'pyt', asIs: true });
  expect(engineOf({ ...repositorySpec(), engine: containers('ngc').engine })).toMatchObject({
    ...{ kind: 'docker', asIs: true },
  });
  expect(engineOf(specFixture())).not.toHaveProperty('asIs');
});

it('refuses a run without a reference and one that did not come so far, each with its way', async () => {
  const refusal = (state: Parameters<typeof deployableRun>[0]['state']) =>
    rejection(
      deployableRun(
        { state, folder: runFolder('/nowhere') },
        new StepManifests(new RunKey('/nowhere'), 'run'),
        false,
      ),
    );
  const unchecked = await refusal({ ...completeState(), accuracy: null });
  expect(unchecked.message).toContain('its accuracy was not checked');
  expect(unchecked.remedy).toContain('--golden FILE, or deploy it anyway with --allow-unverified');
  expect((await refusal(runCreated())).message).toContain('its accuracy check was not completed');
});
