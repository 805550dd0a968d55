import { describe, expect, it } from 'vitest';
import { wayTable } from '../../../../main/cli/perf/perf-print';
import {
  type LoadPoint,
  loadPointSchema,
  type MeasurementWindow,
} from '../../../../main/contract/measured/results';
import { type WayPart, wayText } from '../../../../main/contract/measured/sent/way';
import { wayColumns } from '../../../../main/contract/measured/sent/way-columns';
import { isWayTold, wayOf, wayRowsOf } from '../../../../main/domain/measured/way';
import { createRandom } from '../../../../main/domain/random';
import { html } from '../../../../main/reports/html.exporter';
import { markdown } from '../../../../main/reports/markdown.exporter';
import { toReport } from '../../../../main/reports/to-report';
import { completeState } from '../../../support/run-state';

interface Parts {
  readonly firstByteUs: number;
  readonly connectUs?: number | null;
  readonly tlsUs?: number | null;
}

const windowOf = ({ firstByteUs, connectUs = 100, tlsUs = null }: Parts): MeasurementWindow => ({
  ...{ durationUs: 500_000, requestCount: 100, errorCount: 0, inferencesPerSecond: 1e6 / firstByteUs },
  ...{ avgUs: firstByteUs + 30, p50Us: firstByteUs, p99Us: 2 * firstByteUs },
  parts: { connectUs, tlsUs, sendUs: 10, firstByteUs, receiveUs: 20 },
});

/** Looks whose noise pairs share in half, as neighbors in time do. */
function looks(
  pairs: number,
  addedUs: number,
  more: Partial<Parts> = {},
  seed = 7,
): readonly [MeasurementWindow[], MeasurementWindow[]] {
  const next = createRandom(seed);
  const direct: MeasurementWindow[] = [];
  const via: MeasurementWindow[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const shared = 400 * next();
    direct.push(windowOf({ firstByteUs: 2000 + shared + 50 * next() }));
    via.push(windowOf({ firstByteUs: 2000 + shared + 50 * next() + addedUs, ...more }));
  }
  return [direct, via];
}

const rowOf = (rows: ReturnType<typeof wayRowsOf>, part: WayPart) => rows.find((row) => row.part === part);

describe('what a gateway adds', () => {
  it('is the difference of the pairs, with an interval that has it', () => {
    const missed = Array.from({ length: 100 }, (_unused, seed) => {
      const row = rowOf(wayRowsOf(...looks(12, 5000, {}, seed)), 'latency');
      return Math.abs((row?.difference ?? 0) - 5000) > (row?.half ?? 0);
    }).filter(Boolean);
    expect(missed.length).toBeLessThanOrEqual(5);
  });

  it('is where it is: of the parts only the first byte differs', () => {
    const rows = wayRowsOf(...looks(10, 5000));
    expect(rowOf(rows, 'send')).toMatchObject({ direct: 10, via: 10, difference: 0, half: 0 });
    expect(rowOf(rows, 'receive')).toMatchObject({ difference: 0 });
    expect(rowOf(rows, 'first-byte')?.difference).toBeGreaterThan(4900);
    expect(rowOf(rows, 'throughput')?.difference).toBeLessThan(0);
  });

  it('has a row for TLS where one of both has it, against nothing', () => {
    expect(rowOf(wayRowsOf(...looks(6, 0)), 'tls')).toBeUndefined();
    expect(rowOf(wayRowsOf(...looks(6, 0, { tlsUs: 900 })), 'tls')).toMatchObject({
      ...{ direct: 0, via: 900, difference: 900 },
    });
  });

  it('has no interval from too few pairs, and nothing of connections that were not opened', () => {
    const rows = wayRowsOf(...looks(2, 5000, { connectUs: null }));
    expect(rowOf(rows, 'latency')).toMatchObject({ half: null });
    expect(rowOf(rows, 'connect')).toEqual({
      ...{ part: 'connect', direct: null, via: null, difference: null, half: null },
    });
    expect(isWayTold(rows)).toBe(false);
  });

  it('is told once the interval is narrow', () => {
    expect(isWayTold(wayRowsOf(...looks(3, 5000)))).toBe(false);
    expect(isWayTold(wayRowsOf(...looks(12, 5000)))).toBe(true);
    expect(isWayTold(wayRowsOf(...looks(40, 0)))).toBe(true);
  });
});

const point = (windows: readonly MeasurementWindow[], change: Partial<LoadPoint> = {}): LoadPoint =>
  ({ windows: [...windows], requestCount: 1000, errorCount: 0, ...change }) as LoadPoint;

describe('in words', () => {
  it('it is so much higher', () => {
    const [direct, via] = looks(20, 5000);
    const way = wayOf(point(direct), point(via), 'http://gateway:80');
    expect(wayText(way)).toMatch(
      /^Through http:\/\/gateway:80 the mean latency is 5(\.0\d?)? ms ± 0\.\d+ ms higher, after 20 pairs of measurements; its throughput is \d+(\.\d)? % of the direct one\.$/,
    );
    const texts = way.rows.map((row) => wayColumns.map((column) => String(column.read(row))));
    expect(texts.map(([title]) => title)).toEqual([
      ...['Connect (per connection)', 'Send', 'First byte', 'Receive'],
      ...['Latency (mean)', 'Latency (p99)', 'Throughput'],
    ]);
    expect(texts[2]?.[3]).toMatch(/^\+.* ms ± .* ms$/);
  });

  it('it is within the noise', () => {
    const [direct, via] = looks(20, 0);
    expect(wayText(wayOf(point(direct), point(via), 'http://gateway:80'))).toContain(
      'the mean latency is the direct one to within the noise',
    );
  });

  it('it has errors of its own', () => {
    const [direct, via] = looks(8, 100);
    const errorsByKind = [{ kind: 'HTTP 502', count: 3, message: 'Bad Gateway' }];
    const way = wayOf(point(direct), point(via, { errorCount: 3, errorsByKind }), 'http://gateway:80');
    expect(wayText(way)).toContain('3 requests failed there: HTTP 502: Bad Gateway.');
  });
});

it('a level through a gateway is in every report and in the output of perf', () => {
  const [direct, via] = looks(12, 5000);
  const way = wayOf(point(direct), point(via), 'http://gateway:80');
  const state = completeState();
  const { online } = state.scenarios;
  const points = online.points.map((measured) => ({ ...measured, point: { ...measured.point, way } }));
  const measured = { ...state, scenarios: { ...state.scenarios, online: { ...online, points } } };
  const report = toReport(measured, { generatedAt: '2026-11-25T10:00:00.000Z' });
  const texts = [html, markdown].map((exporter) => exporter.render({ state: measured, report }).content);
  texts.push(wayTable(points.map((one) => one.point)) ?? '');
  for (const text of texts) {
    expect(text).toContain('First byte');
    expect(text).toContain('Through the gateway');
  }
  for (const text of texts.slice(0, 2)) expect(text).toContain('the mean latency is');
  expect(loadPointSchema.parse(points[0]?.point).way).toEqual(way);
});
