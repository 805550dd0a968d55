import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Deployment, DeploymentEngine } from '../../../main/contract/deployment/deployment';
import {
  choosePorts,
  freeName,
  onlyModel,
  requireSameEngine,
  requireServable,
} from '../../../main/deployments/placement';
import { rejection } from '../../support/rejection';

const none = { http: undefined, grpc: undefined, metrics: undefined };
const docker = (imageId: string): DeploymentEngine => ({
  ...{ kind: 'docker', imageId, image: 'tritonserver:1', builtHere: false, gpus: [] },
  ...{ shmSizeMiB: 64, listen: '127.0.0.1' },
});

describe('choosePorts', () => {
  it('gives three different ports that nobody has', async () => {
    const first = await choosePorts(none, new Set());
    const second = await choosePorts(none, new Set(Object.values(first)));
    expect(new Set([...Object.values(first), ...Object.values(second)]).size).toBe(6);
  });

  it('passes over one that another program listens on, and keeps what was asked for', async () => {
    const { http } = await choosePorts(none, new Set());
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(http, '127.0.0.1', resolve);
    });
    try {
      const ports = await choosePorts({ ...none, grpc: 9001 }, new Set());
      expect(ports.http).not.toBe(http);
      expect(ports.grpc).toBe(9001);
    } finally {
      server.close();
    }
  });

  it('gives none that was asked for to another interface', async () => {
    const free = new Set<number>();
    expect(await choosePorts({ ...none, http: 8001 }, new Set(), free)).toEqual({
      ...{ http: 8001, grpc: 8011, metrics: 8002 },
    });
    expect(await choosePorts({ ...none, metrics: 8000 }, new Set(), free)).toEqual({
      ...{ http: 8010, grpc: 8001, metrics: 8000 },
    });
  });

  it('refuses one that was asked for twice, and names the second', async () => {
    expect(await rejection(choosePorts({ ...none, http: 9000, metrics: 9000 }, new Set()))).toMatchObject({
      ...{ code: 'input-invalid', where: 'metricsPort' },
      message: 'Port 9000 cannot be used for both HTTP and metrics',
    });
  });
});

describe('freeName', () => {
  it('makes a name of any model name, another one where it is given', () => {
    expect(freeName('ResNet50_v1.5', [])).toBe('resnet50-v1-5');
    expect(freeName('tft', ['tft', 'tft-2'])).toBe('tft-3');
    expect(freeName('__', [])).toBe('model');
  });
});

describe('requireSameEngine', () => {
  it('takes the very image that the run was verified on, and no other', () => {
    expect(() => {
      requireSameEngine('a', docker('sha256:1'), docker('sha256:1'));
    }).not.toThrow();
    expect(() => {
      requireSameEngine('a', docker('sha256:1'), docker('sha256:2'));
    }).toThrow(/verified on the image tritonserver:1/);
    expect(() => {
      requireSameEngine('a', { kind: 'local', framework: 'pyt' }, { kind: 'local', framework: 'tf' });
    }).toThrow(/TensorFlow/);
  });
});

describe('onlyModel', () => {
  it('asks for the name where there are several', () => {
    const deployment = { id: 'a', models: { one: {}, two: {} } } as unknown as Deployment;
    expect(() => onlyModel(deployment)).toThrow(/a serves one, two/);
    expect(onlyModel({ ...deployment, models: { one: {} } } as unknown as Deployment)).toBe('one');
  });
});

describe('requireServable', () => {
  const docker = { kind: 'docker' as const, gpus: [], shmSizeMiB: 64 };

  it('takes what ran on this machine or a host', () => {
    requireServable('r', { kind: 'local' });
    requireServable('r', docker);
    requireServable('r', { ...docker, host: 'rack' });
  });

  it('says that a run of a cluster can be bundled', () => {
    expect(() => {
      requireServable('r', { kind: 'slurm' });
    }).toThrow('r cannot be deployed here: it ran on a node of the cluster');
  });
});

describe('a host', () => {
  it('has ports of its own: those that somebody has there are passed over, and this machine is not asked', async () => {
    const none = { http: undefined, grpc: undefined, metrics: undefined };
    expect(await choosePorts(none, new Set([8001]), new Set([8000, 8010, 8002]))).toEqual({
      ...{ http: 8020, grpc: 8011, metrics: 8012 },
    });
  });

  it('is part of what a new version must have been verified on', () => {
    const engine = {
      ...{ kind: 'docker' as const, imageId: 'sha256:1', image: 'triton', builtHere: true },
      ...{ gpus: [], shmSizeMiB: 64, listen: '127.0.0.1' },
    };
    requireSameEngine('a', { ...engine, host: 'rack' }, { ...engine, host: 'rack' });
    expect(() => {
      requireSameEngine('a', { ...engine, host: 'rack' }, engine);
    }).toThrow(
      'a serves with the image triton on the host rack, but the run was verified on the image triton',
    );
  });
});
