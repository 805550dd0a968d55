import { Job } from 'kubernetes-models/batch/v1';
import { describe, expect, it } from 'vitest';
import { kubernetesEngineSchema } from '../../../../main/contract/job/kubernetes-engine';
import { jobManifest, selectorOf, tolerationOf } from '../../../../main/engine/kubernetes/job-manifest';

const given = {
  namespace: 'ml',
  name: 'tw-night-3f9a1c',
  runId: '20261126-040235-resnet50',
  home: '/mnt/team/workbench',
  homeId: '0123456789ab',
  user: { uid: 1000, gid: 1001 },
};
const least = kubernetesEngineSchema.parse({
  kind: 'kubernetes',
  ...{ image: 'registry.test/team/triton-workbench:26.07', claim: 'team-home', mountPath: '/mnt/team' },
});
const full = kubernetesEngineSchema.parse({
  ...least,
  ...{ gpuCount: 2, gpuResource: 'nvidia.com/mig-1g.10gb', cpu: '8', memory: '32Gi' },
  nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB' },
  tolerations: ['nvidia.com/gpu:NoSchedule', 'team=vision:NoExecute', 'spot'],
  ...{ serviceAccount: 'puller', activeDeadlineS: 3600, pauseAheadS: 90 },
});

const containerOf = (engine: typeof least) => {
  const [container] = jobManifest({ ...given, engine }).spec.template.spec.containers;
  if (container === undefined) throw new Error('no container');
  return container;
};

describe('the Job of a run', () => {
  it.each([
    ['the least that it needs', least],
    ['everything', full],
  ])("is one by Kubernetes' published schemas with %s", (_what, engine) => {
    const manifest = jobManifest({ ...given, engine }) as ConstructorParameters<typeof Job>[0];
    expect(() => {
      new Job(manifest).validate();
    }).not.toThrow();
  });

  it('asks for GPUs, CPUs and memory as request and limit', () => {
    const amounts = { cpu: '8', memory: '32Gi', 'nvidia.com/mig-1g.10gb': '2' };
    expect(containerOf(full)).toMatchObject({ resources: { limits: amounts, requests: amounts } });
    expect(containerOf(least)).not.toHaveProperty('resources');
    const { resources } = containerOf({ ...least, gpuCount: 1 });
    expect(resources?.limits).toEqual({ 'nvidia.com/gpu': '1' });
  });

  it('has the volume at the path that this machine has it at, and continues the run there', () => {
    const container = containerOf(full);
    expect(container.volumeMounts).toContainEqual({ name: 'home', mountPath: '/mnt/team' });
    expect(container.env).toContainEqual({ name: 'TRITON_WORKBENCH_HOME', value: '/mnt/team/workbench' });
    expect(container.command.slice(-2)).toEqual(['triton-workbench', given.runId]);
    expect(container.command[2]).toContain('exec triton-workbench resume "$1"');
  });

  it('has the deadline on the pod, so that time in the queue does not count, and pauses before it', () => {
    const { spec } = jobManifest({ ...given, engine: full });
    expect(spec).not.toHaveProperty('activeDeadlineSeconds');
    expect(spec.template.spec).toMatchObject({ activeDeadlineSeconds: 3600 });
    expect(containerOf(full).env).toContainEqual({ name: 'TRITON_WORKBENCH_JOB_PAUSE_S', value: '3510' });
    expect(containerOf(least).command[2]).not.toContain('USR2');
  });

  it('runs as the submitter, without rights and without a token of the cluster', () => {
    const { spec } = jobManifest({ ...given, engine: least }).spec.template;
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsUser: 1000, runAsGroup: 1001, runAsNonRoot: true },
    });
    expect(spec.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('carries the labels by which the jobs of a home are found', () => {
    const { metadata, spec } = jobManifest({ ...given, engine: least });
    const labels = Object.entries(metadata.labels).map(([key, value]) => `${key}=${value}`);
    expect(labels.join()).toBe(selectorOf(given.homeId));
    expect(spec.template.metadata.labels).toEqual(metadata.labels);
  });

  it.each([
    ['nvidia.com/gpu:NoSchedule', { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
    ['team=vision:NoExecute', { key: 'team', operator: 'Equal', value: 'vision', effect: 'NoExecute' }],
    ['spot', { key: 'spot', operator: 'Exists' }],
  ])('tolerates the taint %s', (text, toleration) => {
    expect(tolerationOf(text)).toEqual(toleration);
  });

  it.each([
    ['mountPath', '/'],
    ['mountPath', 'relative'],
    ['mountPath', '/mnt/a:b'],
    ['namespace', '-n'],
    ['context', 'a b'],
    ['claim', '../x'],
    ['memory', '32 GB'],
    ['tolerations', ['key:Sometimes']],
    ['nodeSelector', { 'a b': 'c' }],
    ['activeDeadlineS', 0],
  ])('takes no %s of %j', (field, value) => {
    expect(kubernetesEngineSchema.safeParse({ ...least, [field]: value }).success).toBe(false);
  });
});
