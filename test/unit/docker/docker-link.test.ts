import { expect, it } from 'vitest';
import { cdiDevicesOf } from '../../../main/docker/docker-link';

it('tells CDI devices that are not listed from none', () => {
  const specified = { CDISpecDirs: ['/etc/cdi', '/var/run/cdi'] };
  // As Docker Engine 26.1.5 answers with a specification of a GPU in /etc/cdi.
  expect(cdiDevicesOf(specified)).toBeNull();
  expect(cdiDevicesOf({ ...specified, DiscoveredDevices: null })).toEqual([]);
  expect(cdiDevicesOf({ CDISpecDirs: null })).toEqual([]);
  expect(cdiDevicesOf({})).toEqual([]);
  const devices = [
    { Source: 'cdi', ID: 'nvidia.com/gpu=0' },
    { Source: 'other', ID: 'x' },
  ];
  expect(cdiDevicesOf({ ...specified, DiscoveredDevices: devices })).toEqual(['nvidia.com/gpu=0']);
});
