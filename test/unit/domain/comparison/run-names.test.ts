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

it('tells two files of one name apart by their times', () => {
  expect(namesOf('/data/a/rows.npz', '/data/b/rows.npz')).toEqual([
    'dataset rows.npz, 2025-11-21 (1)',
    'dataset rows.npz, 2025-11-21 (2)',
  ]);
});
