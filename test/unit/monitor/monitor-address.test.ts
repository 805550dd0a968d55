import { describe, expect, it } from 'vitest';
import { parseMonitorTarget, readMonitorTarget } from '../../../main/monitor/monitor-address';

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
    const address = await readMonitorTarget(target);
    expect(address.tls).toMatchObject({ insecure: true });
    expect(address.metricsTls).toBeNull();
    // Without a word about it the certificate is checked.
    expect((await readMonitorTarget({ url: 'https://h', metricsUrl: '' })).tls?.insecure).toBe(false);
    expect((await readMonitorTarget({ ...target, url: 'http://h' })).tls).toBeNull();
  });

  it.each(['ftp://m', 'https://u:p@m'])('refuse %s', (metricsUrl) => {
    expect(() => parseMonitorTarget({ url: 'http://h', metricsUrl })).toThrow(/not an http address/);
  });
});
