import { expect, it } from 'vitest';
import { cellText } from '../../../../main/contract/measured/column';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import { byLength, lengthColumns, lengthDocument } from '../../../../main/domain/measured/by-length';
import { matrixDocument } from '../../../../main/domain/measured/matrix';
import type { MatrixResult } from '../../../../main/domain/measured/matrix-result';
import {
  createdBodies,
  deployed,
  measurementBody,
  pointFixture,
  preparationBodies,
  stateOf,
} from '../../../support/run-state';

const stateWith = (points: readonly Partial<LoadPoint>[]) =>
  deployed(
    stateOf([
      ...createdBodies(),
      ...preparationBodies(),
      ...points.map((point) => measurementBody('offline', pointFixture(point))),
      measurementBody('online', pointFixture({ concurrency: 4 })),
    ]),
  );

const result = (number: number, lengths: string, points: readonly Partial<LoadPoint>[]): MatrixResult => ({
  ...{ number, spec: null, leftOut: null, error: null, state: stateWith(points) },
  axes: [{ field: 'performance.lengthDistribution', value: lengths }],
});

const results = [
  result(1, '32', [{ batchSize: 1 }, { batchSize: 8 }]),
  result(2, '8,16,32', [{ batchSize: 1 }, { batchSize: 8, paddingShare: 0.25 }]),
];

it('lists the levels of each load by the lengths of their texts', () => {
  const rows = byLength(results);
  expect(
    rows.map(
      ({ scenario, lengths, point }) => `${scenario} ${point.batchSize} ${point.concurrency} ${lengths}`,
    ),
  ).toEqual([
    'offline 1 1 32',
    'offline 1 1 8,16,32',
    'offline 8 1 32',
    'offline 8 1 8,16,32',
    'online 1 4 32',
    'online 1 4 8,16,32',
  ]);
  const columns = lengthColumns(rows);
  expect(columns.map(({ id }) => id)).toEqual([
    ...[
      'scenario',
      'batch-size',
      'concurrency',
      'lengths',
      'throughput',
      'p99',
      'padding',
      'state',
      'number',
    ],
  ]);
  const padding = columns.find(({ id }) => id === 'padding');
  expect(rows.map((row) => (padding === undefined ? null : cellText(padding, row)))).toEqual([
    ...['–', '–', '–', '25.0 %', '–', '–'],
  ]);
  expect(lengthDocument(rows)[3]).toMatchObject({
    number: 2,
    lengths: '8,16,32',
    batchSize: 8,
    paddingShare: 0.25,
  });
  expect(matrixDocument('lengths', results).byLength).toEqual(lengthDocument(rows));
});

it('names the other axes, and has no padding where nothing is padded', () => {
  const [first] = results;
  const both: MatrixResult[] = [
    { ...(first as MatrixResult), axes: [{ field: 'format', value: 'onnx' }, ...(first?.axes ?? [])] },
  ];
  const columns = lengthColumns(byLength(both)).map(({ id }) => id);
  expect(columns).toContain('choice');
  expect(columns).not.toContain('padding');
  expect(byLength(both)[0]).toMatchObject({ choice: 'onnx', lengths: '32' });
});

it('is empty for other matrices, and for runs that were not started', () => {
  const [first] = results;
  expect(byLength([{ ...(first as MatrixResult), axes: [{ field: 'format', value: 'onnx' }] }])).toEqual([]);
  expect(byLength([{ ...(first as MatrixResult), state: null }])).toEqual([]);
});
