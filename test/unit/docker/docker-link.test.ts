import { expect, it } from 'vitest';
import { cdiDevicesOf } from '../../../main/docker/docker-link';

it('tells CDI devices that are not listed from none', () => {
  const specified = { CDISpecDirs: ['/etc/cdi', '/var/run/cdi'], ServerVersion: '26.1.5' };
  // As Docker Engine 26.1.5 answers with a specification of a GPU in /etc/cdi.
  expect(cdiDevicesOf(specified)).toBeNull();
  // From 28.2 on an empty list is left out (moby, api/types/system/info.go).
  expect(cdiDevicesOf({ ...specified, ServerVersion: '28.1.1' })).toBeNull();
  for (const ServerVersion of ['28.2.0', '29.7.2']) {
    expect(cdiDevicesOf({ ...specified, ServerVersion })).toEqual([]);
  }
  expect(cdiDevicesOf({ ...specified, DiscoveredDevices: null })).toEqual([]);
  expect(cdiDevicesOf({ CDISpecDirs: null, ServerVersion: '20.10.24' })).toEqual([]);
  expect(cdiDevicesOf({ ServerVersion: '20.10.24' })).toEqual([]);
  const devices = [
    { Source: 'cdi', ID: 'nvidia.com/gpu=0' },
    { Source: 'other', ID: 'x' },
  ];
  expect(cdiDevicesOf({ ...specified, DiscoveredDevices: devices })).toEqual(['nvidia.com/gpu=0']);
});
