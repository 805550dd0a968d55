import { describe, expect, it } from 'vitest';
import { readAddresses } from '../../../main/cli/perf/perf-addresses';
import { parseRemoteUrl, shownAddress } from '../../../main/contract/address';
import { toWire } from '../../../main/contract/errors';
import { parseMonitorTarget } from '../../../main/monitor/monitor-address';

const password = 's3cret';

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return JSON.stringify(toWire(error));
  }
  throw new Error('The address was taken');
}

describe('a refused address shows no credentials', () => {
  it.each([
    `http://me:${password}@host:8000`,
    `me:${password}@host:8000`,
    `ftp://me:${password}@host`,
    `http://me:${password}@host:port`,
    `http://me:pass/${password}@host:8000/x`,
    `https://${password}@host?grpcPort=0`,
  ])('%s', (url) => {
    const messages = [
      messageOf(() => parseRemoteUrl(url)),
      messageOf(() => parseMonitorTarget({ url, metricsUrl: '' })),
      messageOf(() => parseMonitorTarget({ url: 'http://host', metricsUrl: url.replace('8000', 'port') })),
    ];
    for (const message of messages) {
      expect(message).not.toContain(password);
      expect(message).toContain('@host');
    }
  });

  it('on the command line', () => {
    const url = `ftp://me:${password}@host`;
    expect(messageOf(() => readAddresses({ url }))).not.toContain(password);
  });

  it('and an address without them is shown as it is', () => {
    expect(shownAddress('http://host:8000/x')).toBe('http://host:8000/x');
    expect(shownAddress('host')).toBe('host');
  });
});
