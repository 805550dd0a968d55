import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { analyzerCommand } from '../../../main/perf/analyzer/analyzer-command';
import { analyzerFailure, runAnalyzer } from '../../../main/perf/analyzer/run-analyzer';
import type { MeasureInput } from '../../../main/perf/load-tool';
import { createPerfAnalyzerTool } from '../../../main/perf/perf-analyzer.load-tool';
import { rejection } from '../../support/rejection';

const fixtures = join(process.cwd(), 'test', 'fixtures', 'perf-analyzer');
const fixture = (name: string) => readFile(join(fixtures, name), 'utf8');
const linesOf = async (name: string) => (await fixture(name)).split('\n');

describe('the command', () => {
  const input = {
    httpAddress: 'h:1',
    grpcAddress: 'h:2',
    protocol: 'grpc' as const,
    modelName: 'm',
    modelVersion: '1',
    level: { batchSize: 1, concurrency: 16 },
    settings: {
      measurementMode: 'time_windows' as const,
      measurementIntervalMs: 100,
      measurementRequestCount: 50,
    },
    inputData: { tensors: [] },
  };
  const run = {
    binary: 'perf_analyzer',
    inputDir: 'i',
    csvPath: 'c',
    intervalsPath: 'intervals.txt',
    stabilityPercentage: 10,
    maxTrials: 3,
  };
  const words = (change: {
    readonly requestRate?: number;
    readonly settings?: Partial<MeasureInput['settings']>;
  }) => {
    const level = {
      ...input.level,
      ...(change.requestRate === undefined ? {} : { requestRate: change.requestRate }),
    };
    return analyzerCommand(
      { ...input, level, settings: { ...input.settings, ...change.settings } },
      run,
    ).join(' ');
  };

  it('has the load of the level', () => {
    expect(words({ settings: { requestCount: 300 } })).toMatch(/-range 16:16 .*--request-count 300 /);
    expect(words({ settings: { warmupRequestCount: 5 } })).toContain(' --warmup-request-count 5 ');
    const rate = words({ requestRate: 200, settings: { requestDistribution: 'poisson' } });
    expect(rate).toContain('--request-rate-range 200:200 --request-distribution poisson --max-threads 16');
    expect(rate).not.toContain('--concurrency-range');
    const custom = words({ requestRate: 200, settings: { requestIntervalsUs: [5000] } });
    expect(custom).toContain('--request-intervals intervals.txt');
    expect(custom).not.toContain('--request-rate-range');
  });

  it('leaves the length of sequences to the streams of its input data', () => {
    const settings = {
      ...input.settings,
      sequences: { length: 5, lengthVariation: 0, concurrent: 4, firstId: 1 },
    };
    const argv = analyzerCommand(
      { ...input, settings, inputData: { ...input.inputData, streams: [2, 3] } },
      run,
    );
    expect(argv).toContain('--sequence-id-range');
    expect(argv).not.toContain('--sequence-length');
  });

  it('has sequences and the stream by its own flags, one request at a time', () => {
    const sequences = { length: 5, lengthVariation: 0, concurrent: 4, firstId: 10, endId: 90 };
    const closed = words({ settings: { sequences, streaming: true } });
    expect(closed).toContain(
      '--streaming --sequence-length 5 --sequence-length-variation 0 --sequence-id-range 10:90',
    );
    expect(closed).not.toContain('--num-of-sequences');
    expect(words({ requestRate: 200, settings: { sequences } })).toContain(
      '--num-of-sequences 16 --serial-sequences',
    );
    expect(words({})).not.toMatch(/sequence|streaming/);
  });

  it('has TLS by the flags of the protocol, and refuses what it has none for', () => {
    const files = { caFile: 'ca.pem', certFile: 'c.pem', keyFile: 'k.pem' };
    const grpc = analyzerCommand({ ...input, grpcTls: files }, run).join(' ');
    expect(grpc).toContain('-u h:2 -i grpc');
    expect(grpc).toContain(
      '--ssl-grpc-use-ssl --ssl-grpc-root-certifications-file ca.pem --ssl-grpc-certificate-chain-file c.pem --ssl-grpc-private-key-file k.pem',
    );
    const http = { ...input, protocol: 'http' as const };
    const https = analyzerCommand({ ...http, httpTls: { insecure: true } }, run).join(' ');
    expect(https).toContain('-u https://h:1 -i http');
    expect(https).toContain('--ssl-https-verify-peer 0 --ssl-https-verify-host 0');
    for (const refused of [{ insecure: true }, { serverName: 'other' }]) {
      expect(() => analyzerCommand({ ...input, grpcTls: refused }, run)).toThrow(/perf_analyzer/);
    }
    // Of the other interface: no matter for this level.
    expect(analyzerCommand({ ...http, grpcTls: files }, run).join(' ')).not.toContain('ssl');
  });

  it('has shared memory where it is asked for', () => {
    expect(words({})).not.toContain('--shared-memory');
    expect(words({ settings: { sharedMemory: 'none', outputSharedMemoryBytes: 7 } })).not.toContain(
      'shared-memory',
    );
    expect(words({ settings: { sharedMemory: 'cuda', outputSharedMemoryBytes: 7 } })).toContain(
      '--shared-memory cuda --output-shared-memory-size 7',
    );
  });
});

describe('the verdict', () => {
  const end = { exitCode: 0, signal: null, silentMs: null };

  it('is good after exit code 0 without errors only', async () => {
    const lines = await linesOf('grpc-steady.txt');
    expect(analyzerFailure({ ...end, lines }, 'here')).toBeNull();
    expect(analyzerFailure({ ...end, lines, exitCode: 1 }, 'here')?.code).toBe('load-tool-failed');
    expect(analyzerFailure({ ...end, lines, exitCode: null, signal: 'SIGSEGV' }, 'here')?.message).toContain(
      'SIGSEGV',
    );
  });

  it('names /dev/shm where it was full', () => {
    const error = analyzerFailure(
      { ...end, lines: ['Measurement'], exitCode: null, signal: 'SIGBUS' },
      'here',
    );
    expect(error).toMatchObject({ code: 'load-tool-failed', where: 'here' });
    expect(error?.message).toContain('/dev/shm is full');
    expect(error?.remedy).toContain('--shm-size-mib');
  });

  it.each([
    ['failing-requests.txt', 'inference-failed', 'no: refused on purpose'],
    ['unreachable.txt', 'server-unreachable', 'Connection refused'],
  ])('of %s', async (name, code, words) => {
    // Even with exit code 0: errors in the output count by themselves.
    const error = analyzerFailure({ ...end, lines: await linesOf(name) }, 'here');
    expect(error).toMatchObject({ code, where: 'here' });
    expect(error?.message).toContain(words);
    expect(error?.details).toContain('exit code 0');
  });
});

describe('a faulty perf_analyzer', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'workbench-analyzer-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  /** Fault injection: a program in place of perf_analyzer that does what `script` says. */
  async function fake(script: string): Promise<string> {
    const path = join(dir, 'fake-perf-analyzer');
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  const log: string[] = [];
  async function measure(script: string, sequences?: MeasureInput['settings']['sequences']) {
    log.length = 0;
    await writeFile(join(dir, 'x.bin'), Buffer.alloc(4));
    const input: MeasureInput = {
      httpAddress: '127.0.0.1:1',
      grpcAddress: '127.0.0.1:2',
      protocol: 'grpc',
      modelName: 'm',
      modelVersion: '1',
      inputData: { source: 'zero', tensors: [{ name: 'X', datatype: 'FP32', shape: [1], files: ['x.bin'] }] },
      inputDataDir: dir,
      level: { batchSize: 1, concurrency: 4 },
      batched: true,
      settings: {
        measurementMode: 'time_windows',
        measurementIntervalMs: 100,
        measurementRequestCount: 50,
        stabilityPercentage: 10,
        maxTrials: 3,
        warmupMs: 0,
        sequences,
      },
      workDir: join(dir, 'work'),
      signal: new AbortController().signal,
      onWindow: () => undefined,
      onLog: (lines) => void log.push(...lines),
      onCommand: () => undefined,
    };
    const tool = createPerfAnalyzerTool({ binary: await fake(script), libraryPath: '', env: process.env });
    return tool.measure(input);
  }

  const writeCsv = (row: string) =>
    `while [ "$1" != "-f" ]; do shift; done\ncp "${join(process.cwd(), 'test/fixtures/perf-analyzer/grpc-steady.csv')}" "$2"\nsed -i 's/^4,/${row},/' "$2"`;

  it('that writes a row of another level is found out', async () => {
    expect((await rejection(measure(writeCsv('8')))).message).toContain('concurrency 8 where 4');
  });

  it('that says success and writes nothing is found out', async () => {
    const error = await rejection(measure('exit 0'));
    expect(error).toMatchObject({ code: 'load-tool-failed' });
    expect(error.message).toContain('no CSV');
  });

  it('that dies after writing its row is found out', async () => {
    expect((await rejection(measure(`${writeCsv('4')}\nkill -SEGV $$`))).code).toBe('load-tool-failed');
  });

  it('that never becomes steady is asked again without a rule, and its level flagged', async () => {
    const script = `case "$*" in
      *1000000*) ${writeCsv('4')} ;;
      *) echo 'Failed to obtain stable measurement.'; exit 2 ;;
    esac`;
    expect(await measure(script)).toMatchObject({
      stable: false,
      flags: ['unstable'],
      inferencesPerSecond: 5611.98,
    });
  });

  describe('after a standstill of the machine', () => {
    const lost =
      "Thread [0] had error: inference request for sequence 105 to model 'm' must specify the START flag on the first request of the sequence";
    const empty = 'cb::Error: No valid requests recorded within time interval.';
    const sequences = { length: 20, lengthVariation: 20, concurrent: 4, firstId: 1 };
    /** Fails so for the first `times` invocations. */
    const failing = (times: number, line: string) =>
      `echo x >> "${join(dir, 'count')}"
      if [ $(wc -l < "${join(dir, 'count')}") -le ${times} ]; then echo "${line}"; exit 99; fi
      ${writeCsv('4')}`;

    const standstills = [
      ['sequence 105', lost, sequences],
      ['No valid requests', empty, undefined],
    ] as const;

    it.each(standstills)('measures the level once more, and says so: %s', async (words, line, settings) => {
      expect((await measure(failing(1, line), settings)).inferencesPerSecond).toBe(5611.98);
      expect(log.join('\n')).toMatch(new RegExp(`${words}.*once more`));
    });

    it.each(standstills)('is taken at its word the second time: %s', async (words, line, settings) => {
      expect((await rejection(measure(failing(2, line), settings))).message).toContain(words);
    });

    it('is not asked again where it was asked for no sequences', async () => {
      await rejection(measure(failing(1, lost)));
      expect(log.join('\n')).not.toContain('once more');
    });
  });

  it('that tells three windows has intervals of what they tell', async () => {
    const pass = (index: number, rate: number, avgUs: number) =>
      `echo '  Pass [${index}] throughput: ${rate} infer/sec. Avg latency: ${avgUs} usec (std 1 usec).'`;
    // The first is not among the merged ones.
    const script = [
      pass(1, 900, 90),
      pass(2, 100, 10),
      pass(3, 102, 12),
      pass(4, 104, 14),
      writeCsv('4'),
    ].join('\n');
    const point = await measure(script);
    expect(point.throughputIntervalIps).toBeCloseTo(8.606, 3);
    expect(point.latencyIntervals).toEqual({
      avgUs: expect.closeTo(8.606, 3) as unknown,
      p50Us: null,
      p90Us: null,
      p95Us: null,
    });
    const short = await measure(writeCsv('4'));
    expect(short.throughputIntervalIps).toBeNull();
    expect(short).not.toHaveProperty('latencyIntervals');
  });

  it('that falls silent is ended, with all its children', async () => {
    const end = await runAnalyzer({
      argv: [await fake('echo "Pass [1]"; sleep 300 & wait')],
      env: process.env,
      cwd: dir,
      silenceMs: 300,
      signal: new AbortController().signal,
      onLine: () => undefined,
    });
    expect(end).toMatchObject({ exitCode: null, silentMs: 300 });
    expect(analyzerFailure(end, 'here')).toMatchObject({ code: 'load-tool-failed' });
  });

  it('that is not there is a missing tool', async () => {
    const error = await rejection(
      runAnalyzer({
        argv: [join(dir, 'absent')],
        env: process.env,
        cwd: dir,
        silenceMs: 1000,
        signal: new AbortController().signal,
        onLine: () => undefined,
      }),
    );
    expect(error.code).toBe('toolchain-missing');
  });
});
