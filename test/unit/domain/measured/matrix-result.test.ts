import { describe, expect, it } from 'vitest';
import { cellText, titleWithUnit } from '../../../../main/contract/measured/column';
import { missing } from '../../../../main/contract/numbers';
import { specOf } from '../../../../main/contract/run/run-source';
import { dockerEngineSchema } from '../../../../main/contract/run/run-spec';
import type { RunState } from '../../../../main/contract/run/run-state';
import { deviceColumns, matrixColumns, matrixDocument } from '../../../../main/domain/measured/matrix';
import {
  byGpu,
  type MatrixResult,
  measuredOn,
  throughputRatio,
} from '../../../../main/domain/measured/matrix-result';
import {
  createdBodies,
  environmentFixture,
  measurementBody,
  pointFixture,
  preparationBodies,
  specFixture,
  stateOf,
  stepBodies,
} from '../../../support/run-state';

const gpu = (name: string, uuid = name) => ({ name, uuid, driver: '580.65.06', memoryBytes: 24 * 2 ** 30 });

interface Measured {
  readonly host?: string;
  readonly asks?: readonly string[];
  readonly has?: readonly ReturnType<typeof gpu>[];
  readonly offline?: number;
}

/** A run on a host with these GPUs, measured at this throughput. */
function measured({ host, asks = [], has = [], offline }: Measured): RunState {
  const spec = specFixture((own) => {
    own.engine = dockerEngineSchema.parse({
      kind: 'docker',
      gpus: asks,
      ...(host === undefined ? {} : { host }),
    });
  });
  const point = pointFixture({ batchSize: 8, inferencesPerSecond: offline ?? 1 });
  return stateOf([
    ...createdBodies(spec, environmentFixture({ gpus: [...has] })),
    ...(offline === undefined
      ? []
      : [...preparationBodies(), ...stepBodies('offline', [measurementBody('offline', point)])]),
    { type: 'run-finished', outcome: 'done' },
  ]);
}

const result = (number: number, format: string, host: string, state: RunState | null): MatrixResult => ({
  number,
  axes: [
    { field: 'format', value: format },
    { field: 'engine.host', value: host },
  ],
  spec: state === null ? null : specOf(state),
  state,
  leftOut: null,
  error: null,
});

const a30 = { asks: ['idlest'], has: [gpu('NVIDIA A30')] };
const t4 = { asks: ['idlest'], has: [gpu('Tesla T4')] };

describe('what measured a run', () => {
  it('is its GPUs, else the CPU of its machine', () => {
    const on = (of: Measured) => measuredOn({ state: measured(of) });
    expect(on({ host: 'a', ...a30 })).toBe('NVIDIA A30');
    expect(
      on({
        host: 'a',
        asks: ['all'],
        has: [gpu('NVIDIA A30', '1'), gpu('NVIDIA A30', '2'), gpu('Tesla T4')],
      }),
    ).toBe('2 × NVIDIA A30, Tesla T4');
    // GPUs that the machine has and the run did not ask for.
    expect(on({ host: 'a', has: [gpu('NVIDIA A30')] })).toBe('CPU of a');
    expect(on({})).toBe('CPU of this machine');
    expect(measuredOn({ state: null })).toBeNull();
  });
});

describe('a comparison by GPU', () => {
  const results = [
    result(1, 'onnx', 'c', measured({ host: 'c', offline: 50 })),
    result(2, 'onnx', 'a', measured({ host: 'a', ...t4, offline: 1000 })),
    result(3, 'onnx', 'b', measured({ host: 'b', ...a30, offline: 2500 })),
    result(4, 'trt', 'a', measured({ host: 'a', ...t4 })),
    result(5, 'trt', 'b', measured({ host: 'b', ...a30, offline: 4000 })),
    result(6, 'trt', 'c', null),
  ];

  it('has the runs below what measured them, GPUs first, each beside the same choice on the first', () => {
    const groups = byGpu(results);
    expect(groups.map(({ device, rows }) => [device, rows.map(({ result: one }) => one.number)])).toEqual([
      ['Tesla T4', [2, 4]],
      ['NVIDIA A30', [3, 5]],
      ['CPU of c', [1]],
    ]);
    const ratios = groups.flatMap(({ rows }) => rows).map((row) => throughputRatio(row, 'offline'));
    // Nothing was measured of run 4, which run 5 would be beside.
    expect(ratios).toEqual([null, null, 2.5, null, 0.05]);
  });

  it('is none where one GPU measured all, of whatever host', () => {
    const same = [
      result(1, 'onnx', 'a', measured({ host: 'a', ...t4, offline: 10 })),
      result(2, 'onnx', 'b', measured({ host: 'b', ...t4, offline: 11 })),
    ];
    expect(byGpu(same)).toEqual([]);
    expect(matrixDocument('night', same).byGpu).toEqual([]);
  });

  it('has no relative figures where no choice was measured on several', () => {
    const spread = [results[0], results[4]].filter((one) => one !== undefined);
    expect(byGpu(spread)).toHaveLength(2);
    expect(deviceColumns(spread).map(({ id }) => id)).not.toContain('offline-ratio');
    expect(deviceColumns(results).map(({ id }) => id)).toContain('offline-ratio');
  });

  it('has the columns and the formatter of the table of the matrix', () => {
    const columns = deviceColumns(results);
    const [, second] = byGpu(results);
    const [row] = second?.rows ?? [];
    if (row === undefined) throw new Error('no row');
    const cells = Object.fromEntries(columns.map((column) => [titleWithUnit(column), cellText(column, row)]));
    const own = matrixColumns(results).find(({ id }) => id === 'offline-throughput');
    expect(cells).toMatchObject({
      'Measured on': 'NVIDIA A30',
      Run: '3',
      Host: 'b',
      'Offline throughput, relative': '2.50',
      'Online throughput, relative': missing,
    });
    if (own !== undefined) expect(cells[titleWithUnit(own)]).toBe(cellText(own, row.result));
    expect(matrixDocument('night', results).byGpu[1]).toEqual({
      device: 'NVIDIA A30',
      runs: [
        { number: 3, host: 'b', baseline: 2, offlineRatio: 2.5, onlineRatio: null },
        { number: 5, host: 'b', baseline: 4, offlineRatio: null, onlineRatio: null },
      ],
    });
  });
});
