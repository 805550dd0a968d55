import type { Case } from './preflight-case';
import { loopback, ssh } from './preflight-case';
import { gibibyte, localDocker, unreachableDocker } from './preflight-input';

export const hostCases: readonly Case[] = [
  {
    id: 'disk',
    what: 'room',
    change: {},
    status: 'ok',
    finding: ['200.0 GiB free', 'need 20.0 GiB', '/home'],
  },
  {
    id: 'disk',
    what: 'too small',
    change: { docker: { ...localDocker, rootFreeBytes: 12.5 * gibibyte } },
    status: 'problem',
    finding: ['12.5 GiB free', '7.5 GiB more are needed'],
    remedy: ['docker image prune', 'data-root'],
  },
  {
    id: 'disk',
    what: 'tight',
    change: { docker: { ...localDocker, rootFreeBytes: 21 * gibibyte } },
    status: 'warning',
    finding: ['less than 2.0 GiB would be left'],
    remedy: ['docker image prune'],
  },
  {
    id: 'disk',
    what: 'no room for runs',
    change: { host: { disks: [{ path: '/data', totalBytes: 10 * gibibyte, freeBytes: gibibyte }] } },
    status: 'warning',
    finding: ['/data: 1.0 GiB free'],
    remedy: ['du -xh --max-depth=1 /data'],
  },
  {
    id: 'disk',
    what: 'nothing known',
    change: { docker: unreachableDocker('absent'), host: { disks: [] } },
    status: 'not-applicable',
    finding: ['free disk space is unknown'],
  },
  {
    id: 'shared-memory',
    what: 'fits',
    change: {},
    status: 'ok',
    finding: ['1,024 MiB', '48.0 GiB', '32.0 GiB'],
  },
  {
    id: 'shared-memory',
    what: 'no /dev/shm here',
    change: { host: { sharedMemoryBytes: null } },
    status: 'ok',
    finding: ['1,024 MiB'],
  },
  {
    id: 'shared-memory',
    what: 'elsewhere',
    change: { docker: ssh, host: { memoryFreeBytes: 0 } },
    status: 'ok',
    finding: ['ssh://'],
  },
  {
    id: 'shared-memory',
    what: "Docker's default",
    change: { plan: { shmSizeMiB: 64 } },
    status: 'warning',
    finding: ['64 MiB'],
    remedy: ['--set engine.shmSizeMiB=1024'],
  },
  {
    id: 'shared-memory',
    what: 'more than is free',
    change: { plan: { shmSizeMiB: 4096 }, host: { memoryFreeBytes: 2 * gibibyte } },
    status: 'problem',
    finding: ['4,096 MiB', '2.0 GiB'],
    remedy: ['--set engine.shmSizeMiB=1024'],
  },
  { id: 'ports', what: 'none asked for', change: {}, status: 'not-applicable', finding: ['uses free ports'] },
  {
    id: 'ports',
    what: 'free',
    change: { docker: loopback, plan: { requestedPorts: [{ port: 8000, owner: null, free: true }] } },
    status: 'ok',
    finding: ['8000'],
  },
  {
    id: 'ports',
    what: 'taken',
    change: {
      plan: {
        requestedPorts: [
          { port: 8000, owner: 'nginx (process 812)', free: false },
          { port: 8001, owner: null, free: false },
          { port: 8002, owner: null, free: true },
        ],
      },
    },
    status: 'problem',
    finding: ['Port 8000 is used by nginx (process 812)', 'port 8001 is used by an unknown process'],
    remedy: ["ss -ltnp 'sport = :8000 or sport = :8001'", 'leave the port empty'],
  },
  {
    id: 'ports',
    what: 'elsewhere',
    change: { docker: ssh, plan: { requestedPorts: [{ port: 8000, owner: null, free: false }] } },
    status: 'not-applicable',
    finding: ['ssh://'],
  },
];
