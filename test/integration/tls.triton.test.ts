import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TlsFiles } from '../../main/contract/address';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { MonitorSample } from '../../main/contract/monitor/monitor';
import { attachTriton } from '../../main/engine/remote/remote-triton';
import type { MeasureInput } from '../../main/perf/load-tool';
import { createLoadTools } from '../../main/perf/load-tools';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { readTls } from '../../main/triton/tls';
import { certifiedName, createCertificates, type TestCertificates } from '../support/certificates';
import { cli } from '../support/cli';
import { cliUntil, linesOf } from '../support/cli-until';
import { createTestHome, type TestHome } from '../support/home';
import { rejection } from '../support/rejection';
import { startTlsProxy, type TlsProxy } from '../support/tls-proxy';
import { startTestTriton, type TestTriton } from '../support/triton';

const workerFile = join(process.cwd(), 'out', 'main', 'load-worker.cjs');
const tools = createLoadTools({ layout: homeLayout(defaultHome(process.env)), workerFile, env: process.env });

let home: TestHome;
let dir: string;
let certificates: TestCertificates;
let triton: TestTriton;
/** In front of HTTP and gRPC of the one Triton. */
let http: TlsProxy;
let grpc: TlsProxy;
/** The same, asking for the client's certificate. */
let mutual: TlsProxy;
const proxies: TlsProxy[] = [];

beforeAll(async () => {
  home = await createTestHome();
  dir = await mkdtemp(join(tmpdir(), 'workbench-tls-'));
  await writeFile(join(dir, '0.bin'), Buffer.alloc(64));
  certificates = await createCertificates(dir);
  triton = await startTestTriton([{ name: 'echo', execute: 'return values.copy()', maxBatchSize: 0 }]);
  const open = async (...args: Parameters<typeof startTlsProxy>) => {
    const proxy = await startTlsProxy(...args);
    proxies.push(proxy);
    return proxy;
  };
  // Triton's HTTP has no HTTP/2, which a client would keep to where it is offered.
  http = await open(triton.httpAddress, certificates, { protocols: ['http/1.1'] });
  grpc = await open(triton.grpcAddress, certificates);
  mutual = await open(triton.grpcAddress, certificates, { clientCertificates: true });
});
afterAll(async () => {
  for (const proxy of proxies) await proxy.close();
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
  await home.remove();
});

const trusted = (): TlsFiles => ({ caFile: certificates.ca, serverName: certifiedName });

async function levelOf(change: Partial<MeasureInput>): Promise<MeasureInput> {
  return {
    ...{ httpAddress: http.address, grpcAddress: grpc.address, httpTls: trusted(), grpcTls: trusted() },
    ...{ protocol: 'grpc', modelName: 'echo', modelVersion: '1', inputDataDir: dir, batched: false },
    inputData: {
      source: 'dataset',
      tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [16], files: ['0.bin'] }],
    },
    level: { batchSize: 1, concurrency: 7 },
    settings: {
      ...{ measurementMode: 'time_windows', measurementIntervalMs: 200, measurementRequestCount: 50 },
      ...{ stabilityPercentage: 1e6, maxTrials: 3, warmupMs: 100 },
    },
    workDir: await mkdtemp(join(dir, 'work-')),
    signal: new AbortController().signal,
    ...{ onWindow: () => undefined, onLog: () => undefined, onCommand: () => undefined },
    ...change,
  };
}

const measure = async (change: Partial<MeasureInput> = {}): Promise<LoadPoint> =>
  tools.native.measure(await levelOf(change));

describe('load over TLS', () => {
  it('is HTTP/2 agreed on for gRPC, with the certificate checked', async () => {
    const before = grpc.agreed.length;
    const point = await measure();
    expect(point.errorsByKind).toBeUndefined();
    expect(point.tls).toEqual({ verified: true, clientCertificate: false });
    expect(new Set(grpc.agreed.slice(before))).toEqual(new Set(['h2']));
  });

  it('is HTTP/1.1 for HTTP', async () => {
    const point = await measure({ protocol: 'http' });
    expect(point.errorsByKind).toBeUndefined();
    expect(point).toMatchObject({ protocol: 'http', tls: { verified: true } });
  });

  it('carries large messages whole', async () => {
    await writeFile(join(dir, 'large.bin'), Buffer.alloc(4_000_000, 1));
    for (const protocol of ['grpc', 'http'] as const) {
      const point = await measure({
        ...{ protocol, level: { batchSize: 1, concurrency: 2 } },
        inputData: {
          source: 'dataset',
          tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [1_000_000], files: ['large.bin'] }],
        },
      });
      expect(point.errorsByKind).toBeUndefined();
    }
  });

  it('shows its own certificate to a server that asks for it', async () => {
    const own = { certFile: certificates.client.cert, keyFile: certificates.client.key };
    const grpcTls = { ...trusted(), ...own };
    const point = await measure({ grpcAddress: mutual.address, grpcTls });
    expect(point.tls).toEqual({ verified: true, clientCertificate: true });
    const without = await rejection(measure({ grpcAddress: mutual.address }));
    expect(without.code).toBe('server-unreachable');
  });

  it('may leave the certificate unchecked, and says so', async () => {
    const insecure = { insecure: true };
    const point = await measure({ httpTls: insecure, grpcTls: insecure });
    expect(point.tls).toEqual({ verified: false, clientCertificate: false });
  });

  it.each([
    ['another authority', () => ({ caFile: certificates.otherCa, serverName: certifiedName })],
    ['another name', () => ({ caFile: certificates.ca, serverName: 'else.test' })],
    ['the address, which it does not bear', () => ({ caFile: certificates.ca })],
    ["the system's authorities", () => ({ serverName: certifiedName })],
  ])('refuses a certificate from, or for, %s', async (_what, files) => {
    const overGrpc = await rejection(measure({ grpcTls: files() }));
    expect(overGrpc.code).toBe('server-unreachable');
    const overHttp = await rejection(measure({ httpTls: files() }));
    expect(overHttp.code).toBe('server-unreachable');
    expect(overHttp.message).toMatch(/certificate/i);
  });

  it('says so when the server does not know HTTP/2', async () => {
    const old = await startTlsProxy(triton.grpcAddress, certificates, { protocols: [] });
    proxies.push(old);
    const error = await rejection(measure({ grpcAddress: old.address }));
    expect(error).toMatchObject({ code: 'server-unreachable' });
    expect(error.message).toContain('ALPN');
  });

  it('is measured by perf_analyzer over gRPC and HTTP', async () => {
    // It checks the name of the address, which the certificate does not bear: a certificate of its own.
    const own = await createCertificates(await mkdtemp(join(dir, 'address-')), 'IP:127.0.0.1,DNS:localhost');
    const front = await startTlsProxy(triton.grpcAddress, own);
    const side = await startTlsProxy(triton.httpAddress, own, { protocols: ['http/1.1'] });
    proxies.push(front, side);
    const files = { caFile: own.ca };
    for (const protocol of ['grpc', 'http'] as const) {
      const point = await tools.perf_analyzer.measure(
        await levelOf({
          ...{ protocol, httpAddress: side.address, grpcAddress: front.address },
          ...{ httpTls: files, grpcTls: files },
        }),
      );
      expect(point).toMatchObject({ loadTool: 'perf_analyzer', protocol, tls: { verified: true } });
    }
  });
});

describe("Triton's own TLS of gRPC", () => {
  it('is spoken', async () => {
    const secure = await startTestTriton(
      [{ name: 'echo', execute: 'return values.copy()', maxBatchSize: 0 }],
      [
        ...['--grpc-use-ssl=true', `--grpc-server-cert=${certificates.server.cert}`],
        ...[`--grpc-server-key=${certificates.server.key}`, `--grpc-root-cert=${certificates.ca}`],
        '--grpc-use-ssl-mutual=true',
      ],
    );
    try {
      const own = { certFile: certificates.client.cert, keyFile: certificates.client.key };
      const point = await measure({
        ...{ httpAddress: secure.httpAddress, httpTls: null, grpcAddress: secure.grpcAddress },
        grpcTls: { ...trusted(), ...own },
      });
      expect(point.errorsByKind).toBeUndefined();
      expect(point.tls).toEqual({ verified: true, clientCertificate: true });
    } finally {
      await secure.stop();
    }
  });
});

describe('a client over TLS', () => {
  it('asks and infers', async () => {
    const client = createTritonClient(http.address, { tls: await readTls(trusted()) });
    expect(await client.serverReady()).toBe(true);
    const data = new Uint8Array(new Float32Array([1, 2]).buffer);
    const inputs = [{ name: 'INPUT', datatype: 'FP32', shape: [2], data }];
    const reply = await client.infer({ modelName: 'echo', inputs });
    expect(Buffer.from(reply.outputs[0]?.data ?? []).equals(Buffer.from(data))).toBe(true);
  });

  it('attaches to a remote Triton, and refuses to leave the certificate unchecked in a run', async () => {
    const url = `https://${http.address}?grpcPort=${grpc.address.split(':')[1] ?? ''}`;
    const attach = (tls?: TlsFiles) => attachTriton({ url, tls }, new AbortController().signal);
    const server = await attach(trusted());
    expect(server.forClients).toMatchObject({ httpTls: trusted(), grpcTls: trusted() });
    expect((await rejection(attach({ insecure: true }))).code).toBe('combination-unsupported');
    // The system knows nothing of the authority of this test.
    expect((await rejection(attach())).code).toBe('server-unreachable');
  });
});

describe("the toolkit's client over TLS", () => {
  const program = `
import sys
from toolkit.triton_client import Tls, connect
url, ca, cert, key, name = sys.argv[1:]
client = connect(url, "grpc", "echo", "1", 1, 10.0, Tls(ca, cert, key, name))
print([item["name"] for item in client.metadata()["inputs"]])
client.close()
`;
  const run = (ca: string) => {
    const { cert, key } = certificates.client;
    return promisify(execFile)(
      homeLayout(defaultHome(process.env)).python,
      ['-c', program, mutual.address, ca, cert, key, certifiedName],
      { cwd: join(process.cwd(), 'resources') },
    );
  };

  it('is ready for the accuracy check, and checks the certificate', async () => {
    expect((await run(certificates.ca)).stdout.trim()).toBe("['INPUT']");
    await expect(run(certificates.otherCa)).rejects.toThrow(/server-unreachable|ToolkitError/);
  });
});

describe('the verbs over TLS', () => {
  const words = () => ['--tls-ca', certificates.ca, '--tls-server-name', certifiedName];

  it('perf measures both protocols, and says where nothing was checked', async () => {
    const perf = (...args: string[]) =>
      cli(
        home.path,
        ...['perf', '--url', `https://${http.address}`, '--grpc-url', grpc.address, '--model', 'echo'],
        ...['--shape', 'INPUT:4', '--measurement-interval-ms', '200', '--warmup-ms', '50'],
        ...['--max-trials', '3', '--json', ...args],
      );
    for (const protocol of ['grpc', 'http']) {
      const result = await perf('--protocol', protocol, ...words());
      expect(result.code).toBe(0);
      const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
      expect(points[0]?.tls).toEqual({ verified: true, clientCertificate: false });
    }
    const unchecked = await perf('--tls-insecure');
    expect(unchecked.stderr).toContain('TLS certificate not verified');
    const untrusted = await perf();
    expect((JSON.parse(untrusted.stdout) as { error: { code: string } }).error.code).toBe(
      'server-unreachable',
    );
  });

  it('monitor watches and probes', async () => {
    const answered = (stdout: string) =>
      linesOf<MonitorSample>(stdout).find(({ models }) => {
        const { count = 0, failures = 0 } = models[0]?.probe ?? {};
        return count > failures;
      });
    const result = await cliUntil(
      home.path,
      [
        ...['monitor', '--url', `https://${http.address}`, '--metrics-url'],
        ...[`http://${triton.metricsAddress}/metrics`, '--probe', 'echo:5', '--shape', 'INPUT:4'],
        ...['--json', ...words()],
      ],
      'a probe is answered',
      (stdout) => answered(stdout) !== undefined,
    );
    expect(result.code).toBe(0);
    expect(answered(result.stdout)?.server.state).toBe('up');
  });
});
