import { describe, expect, it } from 'vitest';
import type { MonitorTarget } from '../../../main/contract/monitor/monitor';
import { parseMonitorTarget, readMonitorTarget } from '../../../main/monitor/monitor-address';
import { noHosts } from '../../support/host-reach';
import { rejection } from '../../support/rejection';

const read = (target: MonitorTarget) => readMonitorTarget(target, [], noHosts);

describe('the addresses of a watched server', () => {
  it.each([
    ['http://h', '', 'h:8000', 'h:8002', false, false],
    ['http://h:9000', '', 'h:9000', 'h:9002', false, false],
    ['https://h', '', 'h:443', 'h:443', true, true],
    ['https://h:8000', 'http://m/x', 'h:8000', 'm:8002', true, false],
    ['http://h', 'https://m', 'h:8000', 'm:443', false, true],
  ])('%s with metrics at "%s"', (url, metricsUrl, http, metrics, secure, metricsSecure) => {
    expect(parseMonitorTarget({ url, metricsUrl })).toMatchObject({ http, metrics, secure, metricsSecure });
  });

  it('speak TLS only where they say so', async () => {
    const target = { url: 'https://h', metricsUrl: 'http://m', tls: { insecure: true } };
    const address = await read(target);
    expect(address.tls).toMatchObject({ insecure: true });
    expect(address.metricsTls).toBeNull();
    // Without a word about it the certificate is checked.
    expect((await read({ url: 'https://h', metricsUrl: '' })).tls?.insecure).toBe(false);
    expect((await read({ ...target, url: 'http://h' })).tls).toBeNull();
  });

  it('that a host sees are reached by its tunnels, and lead there by http only', async () => {
    const problems: (string | null)[] = [null];
    const reach = {
      ...noHosts,
      open: (host: string, address: string) => Promise.resolve(`127.0.0.1:4${address.slice(-3)} for ${host}`),
      problem: () => problems.at(-1) ?? null,
    };
    const target = { url: 'http://127.0.0.1:8000', metricsUrl: '', host: 'gpu1' };
    const address = await readMonitorTarget(target, [], reach);
    expect(address).toMatchObject({
      http: '127.0.0.1:4000 for gpu1',
      metrics: '127.0.0.1:4002 for gpu1',
      tls: null,
    });
    expect(address.hostProblem()).toBeNull();
    problems.push('the line was cut');
    expect(address.hostProblem()).toBe('The host gpu1 is not reachable: the line was cut');
    expect(address.toPublicText(`Triton at ${address.http}: other side closed`)).toBe(
      'Triton at 127.0.0.1:8000 on gpu1: other side closed. No process listens on this address of the host, or it closed the connection',
    );
    expect(address.toPublicText(`${address.metrics} returns HTTP status 404`)).toBe(
      '127.0.0.1:8002 on gpu1 returns HTTP status 404',
    );
    const refused = await rejection(readMonitorTarget({ ...target, url: 'https://h' }, [], reach));
    expect(refused).toMatchObject({ code: 'input-invalid', where: 'url' });
  });

  it.each(['ftp://m', 'https://u:p@m'])('refuse %s', (metricsUrl) => {
    expect(() => parseMonitorTarget({ url: 'http://h', metricsUrl })).toThrow(/not an http address/);
  });
});
