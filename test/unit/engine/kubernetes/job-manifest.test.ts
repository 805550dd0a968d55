import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Job } from 'kubernetes-models/batch/v1';
import { describe, expect, it } from 'vitest';
import { kubernetesEngineSchema } from '../../../../main/contract/job/job-engines';
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

/** What Kubernetes documents of `command` and of values: `$(NAME)` is the variable's value if there is one, `$$` is `$`. */
const reduced = (text: string, variables: Readonly<Record<string, string>> = {}): string =>
  text.replace(/\$\$|\$\(([^)]*)\)/g, (found, name?: string) =>
    name === undefined ? '$' : (variables[name] ?? found),
  );

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
    expect(container.command[2]).toContain('exec triton-workbench resume "$$1"');
    // In NVIDIA's images through their entrypoint: without it there is no CUDA forward compatibility.
    const entrypoint = '/opt/nvidia/nvidia_entrypoint.sh';
    expect(container.command[2]).toContain(
      `if [ -x ${entrypoint} ]; then exec ${entrypoint} triton-workbench resume "$$1"; fi`,
    );
  });

  it('has the deadline on the pod, so that time in the queue does not count, and pauses before it', () => {
    const { spec } = jobManifest({ ...given, engine: full });
    expect(spec).not.toHaveProperty('activeDeadlineSeconds');
    expect(spec.template.spec).toMatchObject({ activeDeadlineSeconds: 3600 });
    expect(containerOf(full).env).toContainEqual({ name: 'TRITON_WORKBENCH_JOB_PAUSE_S', value: '3510' });
    expect(containerOf(least).command[2]).not.toContain('USR2');
  });

  it('is what was meant after Kubernetes has replaced its own references, and asks for the pause', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'twb-pod-'));
    try {
      const home = join(dir, 'the $(HOME) of $$ and $x');
      const run = join(home, 'runs', given.runId);
      await mkdir(run, { recursive: true });
      const [container] = jobManifest({ ...given, home, engine: { ...full, activeDeadlineS: 91 } }).spec
        .template.spec.containers;
      const env: Record<string, string> = {};
      for (const { name, value } of container?.env ?? []) {
        if (value !== undefined) env[name] = reduced(value, env);
      }
      expect(env['TRITON_WORKBENCH_HOME']).toBe(home);
      const [shell = '', ...args] = (container?.command ?? []).map((word) => reduced(word, env));
      // The program of the image is not ended by a signal before it listens; then it waits for it and says what it was
      // called with. The pause is over once it listens.
      const ready = join(dir, 'ready');
      const listens = [
        `process.on('SIGUSR2', () => { console.log('pause', ...process.argv.slice(1)); process.exit(0); });`,
        `require('node:fs').writeFileSync(process.env.READY, ''); setInterval(() => undefined, 1000);`,
      ].join(' ');
      const programs = {
        'triton-workbench': `kill -USR2 $$\nREADY='${ready}' exec '${process.execPath}' -e "${listens}" -- "$@"`,
        sleep: `[ "$1" = 1 ] || exit 1\nwhile [ ! -e '${ready}' ]; do /bin/sleep 0.05; done`,
      };
      for (const [name, script] of Object.entries(programs)) {
        await writeFile(join(dir, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      }
      const path = `${dir}:${process.env['PATH'] ?? ''}`;
      // Without the signal the program never ends.
      const options = { env: { ...env, PATH: path }, timeout: 20_000, killSignal: 'SIGKILL' } as const;
      const { stdout } = await promisify(execFile)(shell, args, options);
      expect(stdout).toBe(`pause resume ${given.runId}\n`);
      await rm(run, { recursive: true });
      await expect(promisify(execFile)(shell, args, options)).rejects.toMatchObject({
        code: 2,
        stderr: `Run ${given.runId} is not in ${home} of this pod: the volume of the claim team-home is not the one that is mounted at /mnt/team where the run was started.\n`,
      });
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });

  it('sees no GPU of the node where it asks for none', () => {
    const none = { name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' };
    expect(containerOf(least).env).toContainEqual(none);
    expect(containerOf({ ...least, gpuCount: 0 }).env).toContainEqual(none);
    expect(containerOf(full).env).not.toContainEqual(none);
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
