import { describe, expect, it } from 'vitest';
import {
  type DeployedVersion,
  type DeploymentEntry,
  deploymentEntrySchema,
  reduceDeployment,
} from '../../../../main/contract/deployment/deployment';

const version = (number: number): DeployedVersion => ({
  model: 'resnet50',
  version: number,
  runId: `run-${number}`,
  format: 'onnx',
  precision: 'fp32',
  checkedSamples: 8,
});
const created: DeploymentEntry = {
  type: 'deployment-created',
  ...{ seq: 1, at: '2026-11-25T10:00:00.000Z', id: 'resnet50' },
  engine: { kind: 'local', framework: 'pyt' },
  ports: { http: 8000, grpc: 8001, metrics: 8002 },
};
const at = '2026-11-25T10:01:00.000Z';
const served = (number: number): DeploymentEntry => ({
  type: 'version-served',
  ...{ seq: number + 1, at, version: version(number) },
});

describe('reduceDeployment', () => {
  it('keeps the version before, and gives no number twice', () => {
    const state = reduceDeployment([created, served(1), served(2)]);
    expect(state?.models['resnet50']).toEqual({ active: version(2), previous: version(1), lastVersion: 2 });
    const back = reduceDeployment([
      ...[created, served(1), served(2)],
      { type: 'rolled-back', seq: 4, at, model: 'resnet50', to: 1, from: 2 },
    ]);
    expect(back?.models['resnet50']).toEqual({ active: version(1), previous: null, lastVersion: 2 });
  });

  it('knows whether it is to serve', () => {
    const started: DeploymentEntry = { type: 'started', seq: 3, at };
    const process: DeploymentEntry = {
      type: 'server-process',
      ...{ seq: 2, at, id: 'a'.repeat(32) },
    };
    expect(reduceDeployment([created])).toMatchObject({ wanted: false, process: null });
    expect(reduceDeployment([created, process, started])).toMatchObject({
      ...{ wanted: true, startedAt: at, process: { id: 'a'.repeat(32) } },
    });
    expect(reduceDeployment([created, process, started, { type: 'stopped', seq: 4, at }])).toMatchObject({
      ...{ wanted: false, process: null },
    });
  });

  it('is nothing without the entry that creates it', () => {
    expect(reduceDeployment([])).toBeNull();
    expect(reduceDeployment([served(1)])).toBeNull();
  });

  it('takes only names that are no path', () => {
    for (const id of ['../../x', 'a/b', '', 'A', '-a', 'a'.repeat(64)]) {
      expect(deploymentEntrySchema.safeParse({ ...created, id }).success).toBe(false);
    }
  });
});
