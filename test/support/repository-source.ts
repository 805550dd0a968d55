import type { RunSpec, ServedRepository } from '../../main/contract/run/run-spec';
import { ownFields, type RepositorySource } from '../../main/formats/own-config';
import { specFixture } from './run-state';

/** A repository that a run serves as it is: the Python model m, x [batch, 3] -> y [batch, 3]. */
export const repositorySource = (change: Partial<ServedRepository> = {}): RepositorySource => ({
  ...{ kind: 'repository', path: '/models/m', title: 'm', batched: true, externalFiles: [] },
  inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3], sample: [1, 3] }],
  outputs: [{ name: 'y', datatype: 'FP32', shape: [-1, 3] }],
  repository: {
    models: [{ name: 'm', backend: 'python' }],
    ...{ with: [], version: 1, config: 'backend: "python"  # by hand\nmax_batch_size: 8\n' },
    ...change,
  },
});

/** The specification of its run. */
export const repositorySpec = (source: RepositorySource = repositorySource()): RunSpec =>
  specFixture((spec) => {
    spec.model = { preset: 'm', source, profile: 'quick', args: {} };
    spec.format = 'repository';
    spec.precision = 'as-is';
    spec.configure = { ...spec.configure, ...ownFields(source) };
  });
