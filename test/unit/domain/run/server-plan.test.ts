import { describe, expect, it } from 'vitest';
import { planReplayedLoad, planServerLoad, wantedLoad } from '../../../../main/domain/run/server-plan';
import { otherServerFindings } from '../../../../main/domain/run/server-rules';
import { serverLoadFixture } from '../../../support/server-load';

const planOf = (performance: Record<string, unknown>) => {
  const { addresses, models, modelVersion, sources, shapes } = serverLoadFixture();
  const what = { addresses, models, modelVersion, sources, shapes };
  return planServerLoad({ ...what, given: { performance }, inTurns: true, limits: {} });
};

describe('the levels of a running Triton', () => {
  it('are each batch size with each concurrency', () => {
    expect(planOf({ batchSizes: [1, 2], concurrency: [4, 8] }).levels).toEqual([
      { batchSize: 1, concurrency: 4 },
      { batchSize: 1, concurrency: 8 },
      { batchSize: 2, concurrency: 4 },
      { batchSize: 2, concurrency: 8 },
    ]);
  });

  it('are at the mean rate of intervals, for each batch size', () => {
    expect(planOf({ batchSizes: [1, 2], requestIntervalsUs: [1000, 3000] }).levels).toMatchObject([
      { batchSize: 1, requestRate: 500 },
      { batchSize: 2, requestRate: 500 },
    ]);
  });

  it('have at most so many requests under way as were said, else as there are sequences at once', () => {
    const rate = { requestRates: [5] };
    const sequences = { concurrent: 7 };
    expect(planOf({ ...rate, concurrency: [3] }).levels).toMatchObject([{ concurrency: 3, requestRate: 5 }]);
    expect(planOf({ ...rate, sequences }).levels).toMatchObject([{ concurrency: 7, requestRate: 5 }]);
    expect(planOf(rate).levels).toMatchObject([{ concurrency: 128, requestRate: 5 }]);
  });

  it('have a rate or intervals, and one limit of concurrent requests with either', () => {
    expect(() => planOf({ batchSizes: [1], requestRates: [5], requestIntervalsUs: [1000] })).toThrow(
      expect.objectContaining({ code: 'input-invalid', where: 'performance.requestIntervalsUs' }),
    );
    expect(() => planOf({ batchSizes: [1], requestRates: [5], concurrency: [1, 2] })).toThrow(
      expect.objectContaining({ code: 'input-invalid', where: 'performance.concurrency' }),
    );
  });
});

describe('a load that somebody asked for', () => {
  it('has the defaults of who waits, and several levels in turns', () => {
    const load = planOf({ concurrency: [1, 4] });
    expect(load.settings).toMatchObject({ measurementIntervalMs: 2000, protocol: 'grpc' });
    expect(load).toMatchObject({ inTurns: true, tools: ['native'], search: null, repeats: 1 });
    expect(planOf({}).inTurns).toBe(false);
  });

  it('has the metrics beside those of a Triton, and at the same port of a server of OpenAI’s protocol', () => {
    const metricsOf = (url: string, generation?: object) =>
      wantedLoad({
        ...{ url, model: 'lm', modelVersion: '', shapes: {} },
        performance: generation === undefined ? {} : { generation },
      }).addresses.metrics;
    expect(metricsOf('localhost:8000')).toEqual({ address: 'localhost:8002', path: '/metrics' });
    expect(metricsOf('localhost:8000', { endpoint: 'generate-stream' })).toEqual(metricsOf('localhost:8000'));
    const chat = { endpoint: 'chat' };
    expect(metricsOf('localhost:9000', chat)).toEqual({ address: 'localhost:9000', path: '/metrics' });
    expect(metricsOf('http://far.example:9000', chat)).toBeNull();
  });

  describe('on a host', () => {
    const { addresses, models, modelVersion, sources, shapes } = serverLoadFixture();
    const what = { addresses, models, modelVersion, sources, shapes, host: 'gpu1' };
    const how = { given: { performance: { concurrency: [1, 4] } }, inTurns: true, limits: {} };
    const tls = { ...addresses, httpTls: {} };
    const shared = { performance: { sharedMemory: 'system' } };

    it('is measured there level by level, in a container', () => {
      expect(planServerLoad({ ...what, ...how })).toMatchObject({ host: 'gpu1', inTurns: false });
    });

    it.each([
      ['models', { ...what, ...how, models: [...models, { name: 'other', weight: 1 }] }],
      ['headers', { ...what, ...how, headerNames: ['Authorization'] }],
      ['url', { ...what, ...how, addresses: tls }],
      ['performance.sharedMemory', { ...what, ...how, given: shared }],
    ])('is refused for what its load generator cannot do: %s', (where, wanted) => {
      expect(() => planServerLoad(wanted)).toThrow(
        expect.objectContaining({ code: 'combination-unsupported', where }),
      );
    });
  });

  it.each([
    ['headers', { headerNames: ['Authorization'] }],
    [
      'models',
      {
        models: [
          { name: 'a', weight: 1 },
          { name: 'b', weight: 1 },
        ],
      },
    ],
  ])('goes to perf_analyzer without what it cannot do: %s', (where, wanted) => {
    const { addresses, models, modelVersion, sources, shapes } = serverLoadFixture();
    const given = { performance: { loadTool: 'perf_analyzer' } };
    const what = { addresses, models, modelVersion, sources, shapes, given, inTurns: true, limits: {} };
    expect(() => planServerLoad({ ...what, ...wanted })).toThrow(
      expect.objectContaining({ code: 'combination-unsupported', where }),
    );
  });

  it('has no weights at intervals, and one version of one model', () => {
    const { addresses, sources, shapes } = serverLoadFixture();
    const [one, two] = [
      { name: 'a', weight: 1 },
      { name: 'b', weight: 2 },
    ];
    const what = { addresses, sources, shapes, modelVersion: '', inTurns: true, limits: {} };
    const given = { performance: { requestIntervalsUs: [1000] } };
    expect(() => planServerLoad({ ...what, given, models: [one, two] })).toThrow(
      expect.objectContaining({ code: 'input-invalid', where: 'models' }),
    );
    expect(() => planServerLoad({ ...what, given: {}, modelVersion: '1', models: [one, two] })).toThrow(
      expect.objectContaining({ code: 'input-invalid', where: 'modelVersion' }),
    );
  });

  it.each([
    ['performance.protocol', { protocol: 'ftp' }],
    ['performance.latencyThresholdMs', { search: 'binary' }],
    ['performance.requestSeed', { requestRates: [5], requestSeed: 7 }],
    ['performance.nothing', { nothing: 1 }],
  ])('names the field %s', (where, performance) => {
    expect(() => planOf(performance)).toThrow(expect.objectContaining({ code: 'input-invalid' }));
    if (where !== 'performance.nothing') {
      expect(() => planOf(performance)).toThrow(expect.objectContaining({ where }));
    }
  });
});

describe('a replayed trace', () => {
  const { addresses, sources, shapes } = serverLoadFixture();
  const read = {
    of: '',
    sha256: '',
    requests: 40,
    seconds: 10,
    namesInputs: false,
    models: { a: 10, b: 30 },
  };
  const wanted = (names: readonly string[], weight = 1) => ({
    ...{ addresses, modelVersion: '', sources, shapes, inTurns: true, limits: {} },
    models: names.map((name) => ({ name, weight })),
    given: { performance: { replay: { file: '/trace.csv', speed: 2, fromS: 5 }, batchSizes: [1, 4] } },
  });

  it('is read for the models that are measured, and is a level at its mean rate', async () => {
    const asked: unknown[] = [];
    const load = await planReplayedLoad(wanted(['a', 'b']), (part) => {
      asked.push(part);
      return Promise.resolve(read);
    });
    expect(asked).toEqual([{ file: '/trace.csv', fromS: 5, toS: undefined, models: ['a', 'b'] }]);
    expect(load).toMatchObject({
      levels: [
        { batchSize: 1, concurrency: 128, requestRate: 8 },
        { batchSize: 4, concurrency: 128, requestRate: 8 },
      ],
      // Each has its own share of the trace.
      models: [
        { name: 'a', weight: 0.25 },
        { name: 'b', weight: 0.75 },
      ],
      inTurns: false,
      settings: { replay: { read } },
    });
  });

  it('is not read without one, and has no weights', async () => {
    const never = () => Promise.reject(new Error('was read'));
    const load = { ...wanted(['a']), given: {} };
    expect((await planReplayedLoad(load, never)).settings.replay).toBeUndefined();
    await expect(planReplayedLoad(wanted(['a'], 2), never)).rejects.toThrow('does not support weights');
  });
});

describe('a gateway in front of the server', () => {
  const via = { address: '127.0.0.1:9000', tls: null };
  const throughIt = (performance: Record<string, unknown>, more: Record<string, unknown> = {}) => {
    const { addresses, models, modelVersion, sources, shapes } = serverLoadFixture();
    const what = { addresses, models, modelVersion, sources, shapes, via, ...more };
    return planServerLoad({ ...what, given: { performance }, inTurns: true, limits: {} });
  };

  it('is measured in turns with each level, by short looks', () => {
    expect(throughIt({ concurrency: [1, 4] })).toMatchObject({
      ...{ via, inTurns: false },
      settings: { measurementIntervalMs: 500, warmupMs: 150 },
    });
    expect(throughIt({ measurementIntervalMs: 1000 }).settings.measurementIntervalMs).toBe(1000);
  });

  it.each([
    ['perf_analyzer', { loadTool: 'perf_analyzer' }, {}, 'via'],
    ['a number of requests', { requestCount: 100 }, {}, 'via'],
    ['streaming', { streaming: true }, {}, 'via'],
    ['shared memory', { sharedMemory: 'system' }, {}, 'performance.sharedMemory'],
    ['several models', {}, { models: ['a', 'b'].map((name) => ({ name, weight: 1 })) }, 'via'],
    ['an export of single requests', {}, { profileExportFile: '/tmp/x.json' }, 'profileExportFile'],
  ])('is refused with %s', (_what, performance, more, where) => {
    expect(() => throughIt(performance, more)).toThrow(
      expect.objectContaining({ code: 'combination-unsupported', where }),
    );
  });
});

describe('HTTP', () => {
  it('has a version and a compression', () => {
    const performance = { protocol: 'http', httpVersion: '2', httpCompression: 'gzip' };
    expect(planOf(performance).settings).toMatchObject(performance);
  });

  it.each([
    ['gRPC', { protocol: 'grpc', httpVersion: '2' }, 'input-invalid', 'performance.httpVersion'],
    [
      'perf_analyzer',
      { protocol: 'http', httpCompression: 'gzip', loadTool: 'perf_analyzer' },
      'combination-unsupported',
      'performance.httpCompression',
    ],
  ])('has neither with %s', (_what, performance, code, where) => {
    expect(() => planOf(performance)).toThrow(expect.objectContaining({ code, where }));
  });
});

describe('a server that is not Triton', () => {
  const of = (performance: Record<string, unknown>) =>
    otherServerFindings(planOf(performance), { title: 'mlserver 1.7.1' });

  it('takes plain requests', () => {
    expect(of({ protocol: 'http' })).toEqual([]);
    expect(otherServerFindings(planOf({ sharedMemory: 'system' }), { title: null })).toEqual([]);
  });

  it.each([
    ['perf_analyzer', { loadTool: 'perf_analyzer' }, 'performance.loadTool'],
    ['shared memory', { sharedMemory: 'system' }, 'performance.sharedMemory'],
    ['a gRPC stream', { streaming: true }, 'performance.streaming'],
    ['sequences', { sequences: {} }, 'performance.sequences'],
  ])('does not take %s', (_what, performance, field) => {
    expect(of(performance)).toMatchObject([
      {
        field,
        message: expect.stringContaining(
          field === 'performance.loadTool' ? 'perf_analyzer' : 'mlserver 1.7.1',
        ) as string,
      },
    ]);
  });
});
