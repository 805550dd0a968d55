import { describe, expect, it } from 'vitest';
import { hostOf, isEmptyReach, reachLines, reachOf } from '../../../main/contract/reach';
import { runSpecSchema } from '../../../main/contract/run/run-spec';
import { specFixture } from '../../support/run-state';

const pathsOf = (spec: unknown) => reachOf(spec).paths.map(({ field, value }) => `${field}=${value}`);

describe('the reach of a specification', () => {
  it('is empty for a preset with its own data', () => {
    expect(isEmptyReach(reachOf(specFixture()))).toBe(true);
  });

  it('has every path that the schema knows', () => {
    const spec = {
      model: { source: { path: '/m/net.onnx' }, checkpoint: '/c.pt', dataset: '/d' },
      accuracy: { golden: '/g.json' },
      performance: { inputDataFile: '/i.json' },
      engine: {
        kind: 'remote',
        url: 'localhost:8000',
        tls: { caFile: '/ca', certFile: '/crt', keyFile: '/key' },
      },
    };
    expect(pathsOf(spec)).toEqual([
      'model.source.path=/m/net.onnx',
      'model.checkpoint=/c.pt',
      'model.dataset=/d',
      'accuracy.golden=/g.json',
      'performance.inputDataFile=/i.json',
      'engine.tls.caFile=/ca',
      'engine.tls.certFile=/crt',
      'engine.tls.keyFile=/key',
    ]);
  });

  it('has the image of a job, and its profile where that is a file', () => {
    const engine = { kind: 'slurm', profile: '/p.yaml', containerImage: '/t.sif' };
    const reach = reachOf({ engine });
    expect(reach.images).toEqual([{ field: 'engine.containerImage', value: '/t.sif' }]);
    expect(pathsOf({ engine })).toEqual(['engine.profile=/p.yaml']);
    expect(pathsOf({ engine: { ...engine, profile: 'gpu' } })).toEqual([]);
  });

  it('has what a job of Kubernetes is given, and of no other engine', () => {
    const engine = {
      kind: 'kubernetes',
      ...{ context: 'prod', namespace: 'ml', claim: 'home', mountPath: '/mnt/home', serviceAccount: 'admin' },
      ...{ image: 'registry.test/triton:1', profile: '/p.yaml' },
    };
    const reach = reachOf({ engine });
    expect(reach.images).toEqual([{ field: 'engine.image', value: 'registry.test/triton:1' }]);
    expect(pathsOf({ engine })).toEqual(['engine.profile=/p.yaml']);
    expect(reachLines(reach).slice(2)).toEqual([
      'Run on Kubernetes context prod (engine.context)',
      'Run on Kubernetes namespace ml (engine.namespace)',
      'Run on Kubernetes volume claim home (engine.claim)',
      'Run on Kubernetes mount path /mnt/home (engine.mountPath)',
      'Run on Kubernetes service account admin (engine.serviceAccount)',
      'Run on Kubernetes (engine.kind)',
    ]);
    expect(isEmptyReach({ ...reach, images: [], paths: [] })).toBe(false);
    expect(reachOf({ engine: { ...engine, kind: 'slurm' } }).machines).toEqual([
      { field: 'engine.kind', value: 'Slurm' },
    ]);
  });

  it('leaves out no text of the schema that is called a path, a file, a folder or an image', () => {
    const named = (schema: object, at: string): string[] =>
      Object.entries(schema).flatMap(([key, value]) => {
        if (typeof value !== 'object' || value === null) return [];
        const below = named(
          value as object,
          key === 'properties' || !Number.isNaN(Number(key)) ? at : `${at}.${key}`,
        );
        const { type, enum: choices } = value as { type?: unknown; enum?: unknown };
        return type === 'string' &&
          choices === undefined &&
          /path|file|folder|dir|image|dataset|checkpoint|url$/i.test(key)
          ? [...below, `${at}.${key}`]
          : below;
      });
    const found = new Set(
      named(runSpecSchema.toJSONSchema({ io: 'input' }), '').map((path) => path.split('.').at(-1)),
    );
    expect([...found].sort()).toEqual([
      'caFile',
      'certFile',
      'checkpoint',
      'clientImage',
      'containerImage',
      'dataset',
      'file',
      'image',
      'inputDataFile',
      'keyFile',
      'mountPath',
      'path',
      'profile',
      'promptsFile',
      'tokenizerFile',
      'tritonImage',
      'url',
    ]);
  });

  it("has arguments of the model's code that name a place", () => {
    const args = {
      classes: '12',
      data: '/etc',
      config: 'a/../../b',
      home: '~/x',
      ratio: '1/2',
      name: 'a..b',
    };
    expect(pathsOf({ model: { args } })).toEqual([
      'model.args.data=/etc',
      'model.args.config=a/../../b',
      'model.args.home=~/x',
    ]);
  });

  it('has both images, and a machine other than this one', () => {
    const docker = { kind: 'docker', tritonImage: 'a/b:1', clientImage: 'c/d@sha256:0' };
    expect(reachLines(reachOf({ engine: docker }))).toEqual([
      'Run the image a/b:1 (engine.tritonImage)',
      'Run the image c/d@sha256:0 (engine.clientImage)',
    ]);
    for (const url of ['localhost:8000', 'http://127.0.0.1:8000', 'https://[::1]']) {
      expect(reachOf({ engine: { kind: 'remote', url } }).hosts).toEqual([]);
    }
    for (const url of ['triton.example.com:8000', 'https://triton.example.com?grpcPort=1']) {
      expect(reachOf({ engine: { kind: 'remote', url } }).hosts).toEqual([
        { field: 'engine.url', value: 'triton.example.com' },
      ]);
    }
    expect(hostOf('http://user:secret@triton.example.com')).toBe('triton.example.com');
  });

  it('has the folder whose programs serve it in place of those of the home', () => {
    const engine = { kind: 'local', environment: '/opt/other' };
    expect(reachLines(reachOf({ engine }))).toEqual(['Run on the Triton in /opt/other (engine.environment)']);
  });

  it('has the host and the cluster that its programs run on, apart from those that get load', () => {
    const docker = { kind: 'docker', host: 'gpu1' };
    expect(reachOf({ engine: docker })).toEqual({
      ...{ paths: [], images: [], hosts: [] },
      machines: [{ field: 'engine.host', value: 'gpu1' }],
    });
    expect(isEmptyReach(reachOf({ engine: docker }))).toBe(false);
    expect(reachLines(reachOf({ engine: docker }))).toEqual(['Run on gpu1 (engine.host)']);
    const slurm = { kind: 'slurm', profile: 'gpu' };
    expect(reachLines(reachOf({ engine: slurm }))).toEqual(['Run on Slurm (engine.kind)']);
    // What another engine does not use is not reached.
    expect(isEmptyReach(reachOf({ engine: { kind: 'local', host: 'gpu1' } }))).toBe(true);
  });

  it.each([
    null,
    7,
    'text',
    { model: null },
    { model: { args: 7, source: 'x' } },
    { engine: { kind: 'remote' } },
  ])('of %j is empty', (tree) => {
    expect(isEmptyReach(reachOf(tree))).toBe(true);
  });
});
