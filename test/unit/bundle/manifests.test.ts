import { PodMonitor, PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Pod, Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { composeFile, kubernetesFiles, type Serving, startupOf } from '../../../main/bundle/manifests';
import { resourceName } from '../../../main/bundle/names';

const digest = `nvcr.io/nvidia/tritonserver@sha256:${'a'.repeat(64)}`;
const onGpus: Serving = {
  model: 'Wide_Deep.v2',
  image: { reference: digest, builtHere: false, release: '24.10', keepsEntrypoint: true },
  gpus: 2,
  shmSizeMiB: 2048,
  repositoryBytes: 3 * 2 ** 30,
  pendingRequests: 16,
  scaledRate: null,
  watched: {
    ...{ model: 'Wide_Deep.v2', pendingRequests: 16, rate: null, errorPercentage: 1, gpus: 2 },
    ...{ meanUs: null, tailUs: { percentile: 99, value: 20_000, text: 'target' } },
  },
  plan: null,
  startup: startupOf(null),
};
const onCpu: Serving = {
  ...onGpus,
  model: 'resnet50',
  image: { reference: 'triton-workbench/triton-cpu:0123456789ab', builtHere: true, release: null },
  gpus: 0,
};
const documents = (serving: Serving): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(kubernetesFiles(serving)).map(([path, text]) => [path, parse(text) as unknown]),
  );

const models = {
  'kubernetes/deployment.yaml': Deployment,
  'kubernetes/service.yaml': Service,
  'kubernetes/hpa.yaml': HorizontalPodAutoscaler,
  'kubernetes/podmonitor.yaml': PodMonitor,
  'kubernetes/prometheusrule.yaml': PrometheusRule,
} as const;

/** Throws where the document is not as the published schema of its kind has it. */
function validate(Model: (typeof models)[keyof typeof models] | typeof Pod, document: unknown): void {
  new Model(document as never).validate();
}

/** Of the CRD of KServe what the manifest uses; a predictor has the fields of a pod beside its own. */
const inferenceService = z.strictObject({
  apiVersion: z.literal('serving.kserve.io/v1beta1'),
  kind: z.literal('InferenceService'),
  metadata: z.strictObject({
    name: z.string().regex(/^[a-z]([-a-z0-9]*[a-z0-9])?$/),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()),
  }),
  spec: z.strictObject({
    // Fields of KServe's own beside those of a pod.
    predictor: z.looseObject({
      minReplicas: z.int().min(0),
      maxReplicas: z.int().min(1),
      containers: z.array(z.looseObject({ name: z.literal('kserve-container') })).length(1),
    }),
  }),
});

describe.each([
  ['GPUs', onGpus],
  ['the CPU', onCpu],
])('manifests for %s', (_where, serving) => {
  it.each(Object.entries(models))('%s is as its published schema asks for', (path, Model) => {
    const document = documents(serving)[path];
    expect(() => {
      validate(Model, document);
    }).not.toThrow();
  });

  it('have a KServe predictor that is a pod beside its own fields', () => {
    const document = inferenceService.parse(documents(serving)['kserve/inferenceservice.yaml']);
    const { minReplicas, maxReplicas, ...pod } = document.spec.predictor;
    expect(maxReplicas).toBeGreaterThan(minReplicas);
    expect(() => {
      validate(Pod, { apiVersion: 'v1', kind: 'Pod', spec: pod });
    }).not.toThrow();
  });

  it('name by kustomization.yaml every other file of kubernetes/', () => {
    const { resources } = documents(serving)['kubernetes/kustomization.yaml'] as {
      resources: readonly string[];
    };
    const others = Object.keys(models).map((path) => path.replace('kubernetes/', ''));
    expect([...resources].sort()).toEqual(others.sort());
  });

  it('run as a user without rights on files that cannot be written', () => {
    const { triton } = (parse(composeFile(serving)) as { services: { triton: Record<string, unknown> } })
      .services;
    expect(triton).toMatchObject({
      ...{ image: serving.image.reference, user: '1000:1000', read_only: true, cap_drop: ['ALL'] },
      ...{ restart: 'always', shm_size: '2048m' },
      volumes: [{ type: 'bind', source: './model-repository', target: '/models', read_only: true }],
    });
    const { spec } = documents(serving)['kubernetes/deployment.yaml'] as {
      spec: { template: { spec: Record<string, unknown> } };
    };
    expect(spec.template.spec).toMatchObject({
      securityContext: { runAsNonRoot: true },
      containers: [{ securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } }],
    });
  });
});

describe('the schemas of the tests', () => {
  it('refuse what is not as they say', () => {
    const deployment = documents(onGpus)['kubernetes/deployment.yaml'] as { spec: object };
    const wrong = { ...deployment, spec: { ...deployment.spec, replicas: 'two' } };
    expect(() => {
      validate(Deployment, wrong);
    }).toThrow(/replicas/);
  });
});

describe('composeFile', () => {
  it('reserves the GPUs of the run, and none for a run without', () => {
    const gpus = parse(composeFile(onGpus)) as {
      services: { triton: { deploy?: unknown; command: string[] } };
    };
    expect(gpus.services.triton.deploy).toEqual({
      resources: {
        reservations: { devices: [{ driver: 'nvidia', count: 2, capabilities: ['gpu'] }] },
      },
    });
    const cpu = parse(composeFile(onCpu)) as typeof gpus;
    expect(cpu.services.triton.deploy).toBeUndefined();
    expect(cpu.services.triton.command).toEqual(
      expect.arrayContaining(['--model-control-mode=explicit', '--load-model=*']),
    );
    expect(cpu.services.triton.command).toContain('--allow-gpu-metrics=false');
  });

  it('starts Triton through the entrypoint of NVIDIA images, and in place of any other', () => {
    const serviceOf = (serving: Serving) =>
      (parse(composeFile(serving)) as { services: { triton: Record<string, unknown> } }).services.triton;
    expect(serviceOf(onGpus)).not.toHaveProperty('entrypoint');
    expect(serviceOf(onGpus)['command']).toEqual(expect.arrayContaining(['tritonserver', '--load-model=*']));
    expect(serviceOf(onCpu)).toMatchObject({ entrypoint: ['tritonserver'] });
    expect(serviceOf(onCpu)['command']).not.toContain('tritonserver');
  });

  it('hides the GPUs of the machine from a run without', () => {
    expect(composeFile(onCpu)).toContain('NVIDIA_VISIBLE_DEVICES: void');
    expect(composeFile(onGpus)).not.toContain('NVIDIA_VISIBLE_DEVICES');
  });

  it('says of an image that was built here that no registry has it', () => {
    expect(composeFile(onCpu)).toContain('is in no registry');
    expect(composeFile(onGpus)).not.toContain('is in no registry');
  });
});

describe('kubernetesFiles', () => {
  const containersOf = (serving: Serving) => {
    const all = documents(serving);
    const { spec } = all['kubernetes/deployment.yaml'] as {
      spec: { template: { spec: { containers: Record<string, unknown>[] } } };
    };
    const kserve = all['kserve/inferenceservice.yaml'] as {
      spec: { predictor: { containers: Record<string, unknown>[] } };
    };
    return [...spec.template.spec.containers, ...kserve.spec.predictor.containers];
  };

  it('start Triton through the entrypoint of NVIDIA images, and in place of any other', () => {
    expect(containersOf(onGpus)).toHaveLength(2);
    for (const container of containersOf(onGpus)) {
      expect(container).not.toHaveProperty('command');
      expect(container['args']).toEqual(expect.arrayContaining(['tritonserver', '--load-model=*']));
    }
    for (const container of containersOf(onCpu)) expect(container['command']).toEqual(['tritonserver']);
  });

  it('hide the GPUs of the node from a run without', () => {
    const hidden = { name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' };
    for (const container of containersOf(onCpu)) expect(container['env']).toContainEqual(hidden);
    for (const container of containersOf(onGpus)) expect(container['env']).not.toContainEqual(hidden);
  });

  it('asks for the GPUs as a limit, which Kubernetes takes alone', () => {
    const { spec } = documents(onGpus)['kubernetes/deployment.yaml'] as {
      spec: { template: { spec: { containers: { resources: unknown }[] } } };
    };
    expect(spec.template.spec.containers[0]?.resources).toEqual({
      requests: { cpu: '1', memory: '12Gi', 'nvidia.com/gpu': '2' },
      limits: { 'nvidia.com/gpu': '2' },
    });
  });

  it('selects the pods that it makes', () => {
    const all = documents(onGpus);
    const { spec } = all['kubernetes/deployment.yaml'] as {
      spec: { template: { metadata: { labels: unknown } } };
    };
    const { labels } = spec.template.metadata;
    expect(all['kubernetes/service.yaml']).toMatchObject({ spec: { selector: labels } });
    expect(all['kubernetes/podmonitor.yaml']).toMatchObject({ spec: { selector: { matchLabels: labels } } });
    expect(all['kubernetes/hpa.yaml']).toMatchObject({ spec: { scaleTargetRef: { name: 'wide-deep-v2' } } });
  });
});

describe('the autoscaler of a promised rate', () => {
  const text = '163.1 requests/s each: the 212.0 of the search night with 30 % headroom';
  const rate = { value: 212 / 1.3, text };

  it('scales by the rate of each pod beside the requests that wait, and says what serves it', () => {
    const serving: Serving = { ...onCpu, scaledRate: rate };
    const file = kubernetesFiles(serving)['kubernetes/hpa.yaml'] ?? '';
    expect(parse(file)).toMatchObject({
      spec: {
        metrics: [
          {
            pods: {
              metric: { name: 'nv_inference_request_success_per_second' },
              target: { averageValue: '163077m' },
            },
          },
          { pods: { target: { averageValue: '16' } } },
        ],
      },
    });
    expect(file).toContain(`# Another pod is started when the pods answer more than ${text}.\n`);
    expect(file).toContain('#   name: {as: nv_inference_request_success_per_second}\n');
    validate(HorizontalPodAutoscaler, parse(file));
  });

  it('needs no requests that wait, and is left out without either', () => {
    const only = documents({ ...onCpu, pendingRequests: null, scaledRate: rate });
    expect(only['kubernetes/hpa.yaml']).toHaveProperty('spec.metrics.length', 1);
    expect(documents({ ...onCpu, pendingRequests: null })).not.toHaveProperty(['kubernetes/hpa.yaml']);
  });
});

describe('resourceName', () => {
  it.each([
    ['resnet50', 'resnet50'],
    ['Wide_Deep.v2', 'wide-deep-v2'],
    ['3d_unet', 'd-unet'],
    ['___', 'model'],
    ['x'.repeat(100), 'x'.repeat(40)],
  ])('makes of %s the DNS label %s', (model, name) => {
    expect(resourceName(model)).toBe(name);
  });
});

describe('a plan of replicas', () => {
  const text = '5 replicas on 10 GPUs hold 5,000 inferences/s within a p99 of 20 ms.';
  const planned: Serving = { ...onGpus, pendingRequests: 9, plan: { replicas: 5, text } };

  it('sets what the Deployment starts with, and what the autoscaler keeps at least', () => {
    const files = documents(planned);
    expect(files['kubernetes/deployment.yaml']).toMatchObject({ spec: { replicas: 5 } });
    expect(files['kubernetes/hpa.yaml']).toMatchObject({
      spec: {
        ...{ minReplicas: 5, maxReplicas: 10 },
        metrics: [{ pods: { target: { averageValue: '9' } } }],
      },
    });
    expect(files['kserve/inferenceservice.yaml']).toMatchObject({
      spec: { predictor: { minReplicas: 5, maxReplicas: 10 } },
    });
    validate(Deployment, files['kubernetes/deployment.yaml']);
    validate(HorizontalPodAutoscaler, files['kubernetes/hpa.yaml']);
  });

  it('is written above each of them, and leaves the others as they are', () => {
    const [before, after] = [kubernetesFiles(onGpus), kubernetesFiles(planned)];
    const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
    expect(changed).toEqual([
      'kubernetes/deployment.yaml',
      'kubernetes/hpa.yaml',
      'kserve/inferenceservice.yaml',
    ]);
    for (const path of changed) expect(after[path]).toContain(`# ${text}\n`);
    expect(documents(onGpus)['kubernetes/deployment.yaml']).not.toHaveProperty('spec.replicas');
  });
});

describe('the time that a start may take', () => {
  it('is ten times what was measured, at least a minute, and whole periods of the probe', () => {
    expect(startupOf({ readyUs: 2_080_000 })).toEqual({
      limitS: 60,
      text: 'the minimum, more than 10 times the measured 2.1 s to ready',
    });
    expect(startupOf({ readyUs: 12_300_000 })).toEqual({
      limitS: 125,
      text: '10 times the measured 12.3 s to ready',
    });
    expect(startupOf(null).limitS).toBe(600);
  });

  it('is that of startupProbe and of compose', () => {
    const serving = { ...onCpu, startup: startupOf({ readyUs: 12_300_000 }) };
    const probe = { startupProbe: { periodSeconds: 5, failureThreshold: 25 } };
    const found = documents(serving);
    expect(found['kubernetes/deployment.yaml']).toMatchObject({
      spec: { template: { spec: { containers: [probe] } } },
    });
    expect(found['kserve/inferenceservice.yaml']).toMatchObject({
      spec: { predictor: { containers: [probe] } },
    });
    expect(parse(composeFile(serving))).toMatchObject({
      services: { triton: { healthcheck: { start_period: '125s' } } },
    });
  });
});
