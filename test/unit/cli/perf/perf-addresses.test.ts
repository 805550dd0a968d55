import { describe, expect, it } from 'vitest';
import {
  type AddressOptions,
  protocolOfVia,
  readVia,
  resolveAddresses,
} from '../../../../main/cli/perf/perf-addresses';

/** A Triton whose ports speak what they are said to. */
const asking = (ports: Readonly<Record<number, 'http' | 'grpc'>>) => (address: string) =>
  Promise.resolve(ports[Number(address.split(':').at(-1))] ?? null);

async function resolved(
  options: AddressOptions,
  typed?: string,
  ports: Parameters<typeof asking>[0] = triton,
) {
  const said: string[] = [];
  const { addresses, protocol } = await resolveAddresses(
    options,
    typed,
    (line) => said.push(line),
    asking(ports),
  );
  return { http: addresses.http, grpc: addresses.grpc, metrics: addresses.metrics?.address, protocol, said };
}

const triton = { 8000: 'http', 8001: 'grpc' } as const;
const whole = { http: 'localhost:8000', grpc: 'localhost:8001', metrics: 'localhost:8002', said: [] };

describe('the address of perf', () => {
  it.each([
    ['nothing', undefined, undefined, undefined],
    ['nothing and gRPC', undefined, 'grpc', 'grpc'],
    ['the HTTP address and gRPC', 'localhost:8000', 'grpc', 'grpc'],
    ['the gRPC address', 'localhost:8001', undefined, 'grpc'],
    ['the gRPC address and gRPC', 'localhost:8001', 'grpc', 'grpc'],
    ['the gRPC address by its scheme', 'grpc://localhost:8001', undefined, 'grpc'],
    ['the HTTP address by its scheme', 'http://localhost:8000', undefined, 'http'],
    ['the HTTP address by its scheme and gRPC', 'http://localhost:8000', 'grpc', 'grpc'],
    ['a port', '8000', 'http', 'http'],
  ])('is given as %s', async (_how, url, typed, protocol) => {
    expect(await resolved(url === undefined ? {} : { url }, typed)).toEqual({ ...whole, protocol });
  });

  it('is measured over HTTP where nothing else is there', async () => {
    const http = { 9000: 'http' } as const;
    expect(await resolved({ url: 'http://localhost:9000' }, undefined, http)).toMatchObject({
      ...{ http: 'localhost:9000', protocol: 'http', said: [] },
    });
    expect(await resolved({ url: 'localhost:9000' }, undefined, http)).toMatchObject({
      protocol: 'http',
      said: ['No gRPC at localhost:9001, the port after that of HTTP: measured over HTTP'],
    });
  });

  it('names a port that was derived, and the option that sets it', async () => {
    await expect(resolved({ url: 'localhost:9000' }, 'grpc', { 9000: 'http' })).rejects.toMatchObject({
      code: 'server-unreachable',
      message: expect.stringContaining('localhost:9001, the port after the HTTP address') as string,
      where: '--grpc-url',
      remedy: expect.stringContaining('--grpc-url HOST:PORT') as string,
    });
    await expect(resolved({ url: 'localhost:9001' }, 'grpc', { 9001: 'grpc' })).rejects.toMatchObject({
      message: expect.stringContaining('localhost:9000, the port before the gRPC address') as string,
    });
    await expect(resolved({ url: 'localhost:8001' }, 'http')).rejects.toMatchObject({
      message: 'localhost:8001 is a gRPC address, but the measurement uses HTTP',
    });
  });

  it('is not asked for where both are given, or another machine sees it', async () => {
    const never = { 8001: 'http' } as const;
    const both = { url: 'localhost:8000', grpcUrl: 'localhost:7' };
    expect(await resolved(both, undefined, never)).toMatchObject({
      grpc: 'localhost:7',
      protocol: undefined,
    });
    expect(await resolved({ url: 'localhost:8000', host: 'gpu1' }, 'grpc', never)).toMatchObject(whole);
  });
});

describe('the address of a gateway', () => {
  it.each([
    ['http://localhost:9000', 'http', 'localhost:9000', null],
    ['localhost:9000', 'http', 'localhost:9000', null],
    [':9000', 'http', 'localhost:9000', null],
    ['https://localhost', 'http', 'localhost:443', {}],
    ['grpc://localhost:9001', 'grpc', 'localhost:9001', null],
    ['grpcs://localhost:9001', 'grpc', 'localhost:9001', {}],
  ] as const)('%s says the protocol, unless it is typed', (via, protocol, address, tls) => {
    expect(protocolOfVia({ via })).toBe(protocol);
    expect(readVia({ via }, protocol)).toEqual({ address, tls });
  });

  it('has the options of TLS, although the server itself is spoken to in clear text', async () => {
    const options = { url: 'http://localhost:8000', via: 'https://localhost:9443', tlsServerName: 'gateway' };
    const { addresses } = await resolveAddresses(options, 'http', () => undefined, asking(triton));
    expect(addresses.httpTls).toBeNull();
    expect(readVia(options, 'http')).toEqual({ address: 'localhost:9443', tls: { serverName: 'gateway' } });
  });

  it.each([
    ['another protocol than the measured one', 'grpc://localhost:9001', 'via', 'names another protocol'],
    ['another machine', 'http://10.0.0.7:80', '--via', 'is another machine'],
  ])('is refused with %s', (_what, via, where, message) => {
    expect(() => readVia({ via }, 'http')).toThrow(
      expect.objectContaining({ where, message: expect.stringContaining(message) as string }),
    );
  });
});
