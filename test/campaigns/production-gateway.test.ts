import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { WayPart, WayRow } from '../../main/contract/measured/sent/way';
import { createCertificates } from '../support/certificates';
import { cli } from '../support/cli';
import { laterBy } from '../support/first-byte';
import { createTestHome, type TestHome } from '../support/home';
import { freePorts, startTestTriton, type TestTriton } from '../support/triton';
import { until } from '../support/until';

/** Where Debian's nginx with its Lua module was unpacked, and an environment with MLServer: `npm run test:production` sees to both. */
const nginxRoot = process.env['WORKBENCH_NGINX'] ?? '/';
const mlserver = process.env['WORKBENCH_MLSERVER'] ?? 'mlserver';

const libraries = ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu']
  .map((folder) => join(nginxRoot, folder))
  .join(':');

const delayMs = 5;
const name = '127.0.0.1';

let dir: string;
let home: TestHome;
let triton: TestTriton;
let children: readonly ChildProcess[];
let ca: string;
let ports: { plain: number; delayed: number; http2: number; tls: number; other: number };

const proxied = `proxy_pass http://triton; proxy_http_version 1.1; proxy_set_header Connection "";
      header_filter_by_lua_block { ngx.header.content_length = nil }`;

/** nginx says how long it waited: its timers are of whole milliseconds. */
const clock = `lua_shared_dict waited 1m;
  init_by_lua_block {
    local ffi = require "ffi"
    ffi.cdef[[ typedef struct { long sec; long nsec; } clock_spec; int clock_gettime(int id, clock_spec *at); ]]
    function seconds()
      local at = ffi.new("clock_spec[1]")
      ffi.C.clock_gettime(1, at)
      return tonumber(at[0].sec) + tonumber(at[0].nsec) / 1e9
    end
  }`;
const waiting = `access_by_lua_block {
        local began = seconds()
        ngx.sleep(${delayMs / 1000})
        ngx.shared.waited:incr("seconds", seconds() - began, 0)
        ngx.shared.waited:incr("count", 1, 0)
      }`;

function nginxConf(files: { readonly cert: string; readonly key: string }): string {
  const modules = join(nginxRoot, 'usr/lib/nginx/modules');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const server = (listen: string, more: string) => `server { listen ${name}:${listen};
    location / { ${more} } }`;
  return `daemon off; worker_processes 1; user root; pid ${dir}/nginx.pid; error_log ${dir}/error.log;
load_module ${modules}/ndk_http_module.so;
load_module ${modules}/ngx_http_lua_module.so;
events { worker_connections 512; }
http {
  access_log off; client_max_body_size 64m;
  ${temporary.map((kind) => `${kind}_temp_path ${dir}/${kind};`).join(' ')}
  lua_package_path "${join(nginxRoot, 'usr/share/lua/5.1')}/?.lua;;";
  ${clock}
  upstream triton { server ${triton.httpAddress}; keepalive 64; }
  ${server(`${ports.plain}`, proxied)}
  server { listen ${name}:${ports.delayed};
    location = /waited { content_by_lua_block { ngx.say(ngx.shared.waited:get("seconds") / ngx.shared.waited:get("count")) } }
    location /v2/models/echo/infer { ${waiting}
      ${proxied} }
    location / { ${proxied} } }
  ${server(`${ports.http2} http2`, proxied)}
  server { listen ${name}:${ports.tls} ssl http2; ssl_certificate ${files.cert}; ssl_certificate_key ${files.key};
    location / { ${proxied} } }
}
`;
}

async function startNginx(files: { readonly cert: string; readonly key: string }): Promise<ChildProcess> {
  const conf = join(dir, 'nginx.conf');
  await writeFile(conf, nginxConf(files));
  const child = spawn(join(nginxRoot, 'usr/sbin/nginx'), ['-c', conf, '-p', dir], {
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
    stdio: 'ignore',
  });
  await until('nginx passes on', async () => {
    if (child.exitCode !== null) throw new Error(await readFile(join(dir, 'error.log'), 'utf8'));
    const answer = await fetch(`http://${name}:${ports.plain}/v2/health/ready`).catch(() => null);
    return answer?.ok === true;
  });
  return child;
}

/** A runtime of ten lines, as an engineer writes one. */
async function startMlserver(): Promise<ChildProcess> {
  const models = join(dir, 'mlserver');
  await mkdir(models);
  const [grpc, metrics] = await freePorts(2);
  await writeFile(
    join(models, 'settings.json'),
    JSON.stringify({
      ...{ debug: false, parallel_workers: 0, host: name, http_port: ports.other },
      ...{ grpc_port: grpc, metrics_port: metrics },
    }),
  );
  const tensor = (tensorName: string) => ({ name: tensorName, datatype: 'FP32', shape: [-1, 4] });
  await writeFile(
    join(models, 'model-settings.json'),
    JSON.stringify({
      ...{ name: 'double', implementation: 'runtime.Double' },
      ...{ inputs: [tensor('x')], outputs: [tensor('y')] },
    }),
  );
  await writeFile(
    join(models, 'runtime.py'),
    `from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceRequest, InferenceResponse


class Double(MLModel):
    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        values = NumpyCodec.decode_input(payload.inputs[0])
        output = NumpyCodec.encode_output("y", values * 2)
        return InferenceResponse(model_name=self.name, outputs=[output])
`,
  );
  const child = spawn(mlserver, ['start', models], {
    cwd: models,
    env: { ...process.env, PYTHONPATH: models },
    stdio: 'ignore',
  });
  await until('MLServer is ready', async () => {
    if (child.exitCode !== null) throw new Error(`MLServer ended with exit code ${child.exitCode}`);
    const answer = await fetch(`http://${name}:${ports.other}/v2/models/double/ready`).catch(() => null);
    return answer?.ok === true;
  });
  return child;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-gateway-'));
  home = await createTestHome();
  const [plain = 0, delayed = 0, http2 = 0, tls = 0, other = 0] = await freePorts(5);
  ports = { plain, delayed, http2, tls, other };
  const certificates = await createCertificates(dir, `IP:${name}`);
  ({ ca } = certificates);
  triton = await startTestTriton([{ name: 'echo', execute: 'return values', maxBatchSize: 8 }]);
  children = [await startNginx(certificates.server), await startMlserver()];
});
afterAll(async () => {
  for (const child of children) child.kill('SIGTERM');
  await triton.stop();
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

async function perf(...args: string[]): Promise<{ readonly point: LoadPoint; readonly runId: string }> {
  const { code, stdout, stderr } = await cli(home.path, 'perf', ...args, '--json');
  expect(code, stderr).toBe(0);
  const { points, runId } = JSON.parse(stdout) as { points: LoadPoint[]; runId: string };
  const [point] = points;
  if (point === undefined) throw new Error(stderr);
  return { point, runId };
}

const rowsOf = ({ way }: LoadPoint): ReadonlyMap<WayPart, WayRow> =>
  new Map(way?.rows.map((row) => [row.part, row]));
const short = ['--measurement-interval-ms', '500', '--max-trials', '3'];

describe('a real nginx', () => {
  it('that adds 5 ms and answers in chunks adds what it waited, within the interval', async () => {
    const { point } = await perf(
      ...['--url', `http://${name}:${ports.plain}`, '--via', `http://${name}:${ports.delayed}`],
      ...['--model', 'echo'],
    );
    const { difference, half } = rowsOf(point).get('first-byte') ?? {};
    // What a wait costs beside itself, as every process behind it wakes up: another client pays it, too.
    const infer = (port: number) => `http://${name}:${port}/v2/models/echo/infer`;
    const { meanUs, halfUs } = await laterBy([infer(ports.plain), infer(ports.delayed)], 400);
    const waitedUs = 1e6 * Number(await (await fetch(`http://${name}:${ports.delayed}/waited`)).text());
    expect(waitedUs).toBeGreaterThan(1000 * delayMs);
    expect(meanUs).toBeGreaterThan(waitedUs - halfUs);
    const found = `nginx waited ${waitedUs} µs, another client ${meanUs} ± ${halfUs} µs, measured ${difference} ± ${half} µs, ${point.way?.pairs} pairs`;
    expect(Math.abs((difference ?? 0) - meanUs), found).toBeLessThanOrEqual((half ?? 0) + halfUs);
    expect(point.way?.errorCount).toBe(0);
  });

  it('is a row of its own against the server, over TLS with the time of its handshake', async () => {
    const { point } = await perf(
      ...['--url', `http://${triton.httpAddress}`, '--via', `https://${name}:${ports.tls}`, '--tls-ca', ca],
      ...['--model', 'echo', '--concurrency', '4'],
    );
    const rows = rowsOf(point);
    expect(point.way).toMatchObject({ errorCount: 0, httpVersion: '2' });
    expect(rows.get('tls')?.via).toBeGreaterThan(0);
    expect(rows.get('latency')?.half).not.toBeNull();
  });

  it.each([
    ['HTTP/2 in clear text', () => ['--url', `http://${name}:${ports.http2}`, '--http-version', '2'], '2'],
    ['HTTP/2 as it offers it over TLS', () => ['--url', `https://${name}:${ports.tls}`, '--tls-ca', ca], '2'],
    [
      'HTTP/1.1 over TLS',
      () => ['--url', `https://${name}:${ports.tls}`, '--tls-ca', ca, '--http-version', '1.1'],
      '1.1',
    ],
    ['compression', () => ['--url', `http://${name}:${ports.plain}`, '--http-compression', 'gzip'], '1.1'],
    [
      'compression over HTTP/2',
      () => [
        '--url',
        `http://${name}:${ports.http2}`,
        '--http-version',
        '2',
        '--http-compression',
        'deflate',
      ],
      '2',
    ],
  ] as const)('passes on %s', async (_what, address, httpVersion) => {
    const { point } = await perf(
      ...[...address(), '--model', 'echo', '--concurrency', '8', '--batch-sizes', '4', ...short],
      ...['-i', 'http', '--check-outputs', 'finite'],
    );
    expect(point).toMatchObject({ httpVersion, errorCount: 0, outputChecks: { wrongCount: 0 } });
    expect(point.outputChecks?.checkedCount).toBeGreaterThan(0);
    expect(point.requestCount).toBeGreaterThan(0);
  });
});

describe('MLServer', () => {
  it('is measured to the report, watched and compared, and named', async () => {
    const url = `http://${name}:${ports.other}`;
    const one = await perf('--url', url, '--model', 'double', ...short);
    const two = await perf('--url', url, '--model', 'double', '--batch-sizes', '8', ...short);
    expect(one.point).toMatchObject({
      ...{ jsonTensors: true, serverComputeInferUs: null, errorCount: 0 },
      outputChecks: { wrongCount: 0 },
    });
    const { stdout } = await cli(home.path, 'report', one.runId, '--json');
    const { reports } = JSON.parse(stdout) as { readonly reports: readonly { readonly path: string }[] };
    for (const { path } of reports.filter((report) => /\.(?:md|html|json)$/.test(report.path)))
      expect(await readFile(path, 'utf8'), path).toContain('mlserver');
    const comparison = join(dir, 'comparison.md');
    await cli(home.path, 'compare', one.runId, two.runId, '--out', comparison);
    expect(await readFile(comparison, 'utf8')).toContain('mlserver');
    const watched = await cli(home.path, ...['monitor', '--url', url, '--probe', 'double:5', '--for', '4s']);
    expect(watched.stdout).toMatch(/mlserver .*: up/);
    expect(watched.stdout).not.toContain('no data');
  });

  it('is refused what only Triton has, by its name', async () => {
    const { code, stderr } = await cli(
      home.path,
      ...['perf', '--url', `http://${name}:${ports.other}`, '--model', 'double', '--shared-memory', 'system'],
    );
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/mlserver .* does not have Triton's shared memory/);
  });
});
