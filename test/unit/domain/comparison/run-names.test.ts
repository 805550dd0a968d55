import { expect, it } from 'vitest';
import { shortNames } from '../../../../main/domain/comparison/run-names';
import { createdBodies, specFixture, stateOf } from '../../../support/run-state';

const namesOf = (...paths: readonly string[]): readonly string[] =>
  shortNames(
    paths.map((path) =>
      stateOf(
        createdBodies(
          specFixture((spec) => {
            spec.model = { ...spec.model, dataset: path };
          }),
        ),
      ),
    ),
    (preset) => preset,
    (iso) => iso.slice(0, 10),
  );

it('names a file by the last part of its path', () => {
  expect(namesOf('/data/customers/hall-4/first.npz', '~/second.npz')).toEqual([
    'dataset first.npz',
    'dataset second.npz',
  ]);
});

it('names a field of several words by its label, and one of one word by that', () => {
  const states = [
    [8, 1],
    [16, 2],
    [16, 1],
  ].map(([maxBatchSize = 0, instances = 0]) =>
    stateOf(
      createdBodies(
        specFixture((spec) => {
          spec.configure = { ...spec.configure, maxBatchSize, instances };
        }),
      ),
    ),
  );
  expect(
    shortNames(
      states,
      (preset) => preset,
      () => '',
    ),
  ).toEqual([
    'maximum batch size 8, instances 1',
    'maximum batch size 16, instances 2',
    'maximum batch size 16, instances 1',
  ]);
});

it('tells two files of one name apart by their times', () => {
  expect(namesOf('/data/a/rows.npz', '/data/b/rows.npz')).toEqual([
    'dataset rows.npz, 2025-11-21 (1)',
    'dataset rows.npz, 2025-11-21 (2)',
  ]);
});
