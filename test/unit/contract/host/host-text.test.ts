import { expect, it } from 'vitest';
import { gpusText, hostStateText, usesText } from '../../../../main/contract/host/host-text';
import type { HostStatus } from '../../../../main/contract/host/hosts';
import { parseNvidiaSmi } from '../../../../main/machine/nvidia-smi';
import { readCapture } from '../../machine/captures';

it('counts equal GPUs, and says where nothing is known', async () => {
  const report = parseNvidiaSmi(await readCapture('tesla-t4.xml'));
  if (report === null) throw new Error('no report');
  const [gpu] = report.gpus;
  if (gpu === undefined) throw new Error('no GPU');
  expect(gpusText({ ...report, gpus: [gpu, gpu, { ...gpu, name: 'A10', memoryTotalBytes: null }] })).toMatch(
    /^2 × Tesla T4 \(\d+(\.\d)? GiB\), A10$/,
  );
  expect(gpusText({ ...report, gpus: [] })).toBe('none');
  expect(gpusText(null)).toBe('not known');
});

it('names what uses a host', () => {
  expect(usesText({ runs: ['a'], deployments: ['b', 'c'] })).toBe('1 run, 2 deployments');
  expect(usesText({ runs: [], deployments: [] })).toBeNull();
  expect(usesText({ runs: null, deployments: null })).toBe('not known');
});

it('tells a host without Docker from one that is not reached', () => {
  const about = { name: 'a', address: 'ssh://a', at: '' };
  const status: HostStatus = {
    ...about,
    reachable: true,
    docker: { reachable: false, host: 'ssh://a', reason: 'absent', message: '' },
    gpus: null,
    diskFreeBytes: null,
    images: null,
    runs: [],
    deployments: [],
  };
  expect(hostStateText(status)).toBe('no Docker');
  expect(hostStateText({ ...about, reachable: false, reason: 'login', message: '', remedy: '' })).toBe(
    'login refused',
  );
});
