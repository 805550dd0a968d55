import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm, rmdir, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { repository } from './home';
import { freePorts } from './triton';

const run = promisify(execFile);

/** A Kubernetes of one node on this machine: etcd, control plane, and a kubelet that works with the machine's Docker. */
export interface TestKubernetes {
  /** For the workbench; its home is below `machine`, where the machine's root is mounted, in pods too. */
  readonly env: Readonly<Record<string, string>>;
  readonly machine: string;
  readonly image: string;
  /** The same API with another program: kubectl. */
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  stop(): Promise<void>;
}

const images = {
  pause: 'triton-workbench-test/pause:1',
  machine: 'triton-workbench-test/machine:1',
} as const;
/** Of a test cluster that listens on this machine only. */
const token = 'token-of-a-test-cluster';

/** Throws where a program is missing: a test that needs a cluster must not pass without one. */
function programs(): string {
  const folder = join(process.env['TRITON_WORKBENCH_TEST_KUBERNETES'] ?? '', 'bin');
  const names = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'];
  const missing = names.filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0)
    throw new Error(`${missing.join(', ')} are not in ${folder}: run npm run test:kubernetes`);
  return folder;
}

/** The address of this machine that is not loopback, which a kubelet does not take. */
function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) throw new Error('the kubelet needs an address beside loopback');
  return found.address;
}

/**
 * An image whose programs are those of this machine: links into its root, which the volume brings. So the pod has the
 * same Python, Triton and workbench as the tests. The shell is its own: it runs with any volume.
 */
async function buildImages(dir: string, machine: string): Promise<void> {
  const context = join(dir, 'image');
  await mkdir(join(context, 'opt/bin'), { recursive: true });
  const script = `#!${machine}/usr/bin/dash\nexec ${machine}${process.execPath} ${machine}${repository}/out/main/cli.cjs "$@"\n`;
  await writeFile(join(context, 'opt/bin/triton-workbench'), script, { mode: 0o755 });
  const links = ['lib', 'lib64', 'sbin'].map((name) => `ln -s usr/${name} ${name}`);
  await run('sh', [
    '-ec',
    `cd "$1"; ln -s "$2/usr" usr; ln -s "$2/root" root; mkdir bin; cp "$(command -v busybox)" bin/sh; ln -s "$2/usr/bin/bash" bin/bash; ${links.join('; ')}; mkdir -m 1777 tmp; mkdir etc
     cp /etc/passwd /etc/group /etc/ld.so.cache etc/
     tar -c . | docker import -c 'ENV PATH=/opt/bin:/usr/bin:/bin' - ${images.machine}
     cp "$(command -v busybox)" "$1/../busybox"; cd ..; mkdir pause; mv busybox pause/
     tar -C pause -c . | docker import -c 'CMD ["/busybox","sh","-c","trap \\"exit 0\\" TERM; while :; do /busybox sleep 3600 & wait $!; done"]' - ${images.pause}`,
    'sh',
    context,
    machine,
  ]);
}

const kubeletConfig = (dir: string, address: string, port: number) => ({
  ...{ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' },
  authentication: {
    ...{ anonymous: { enabled: false }, webhook: { enabled: false } },
    x509: { clientCAFile: join(dir, 'ca.crt') },
  },
  authorization: { mode: 'AlwaysAllow' },
  ...{ address, port, healthzPort: 0, readOnlyPort: 0 },
  ...{ cgroupDriver: 'cgroupfs', cgroupsPerQOS: false, enforceNodeAllocatable: [], failSwapOn: false },
  evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  // Images that are not the cluster's stay.
  ...{ imageGCHighThresholdPercent: 100, imageGCLowThresholdPercent: 99, serializeImagePulls: false },
});

const volumeOf = (name: string, path: string) => [
  {
    ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name } },
    spec: {
      ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany'], storageClassName: '' },
      ...{ persistentVolumeReclaimPolicy: 'Retain', hostPath: { path, type: 'DirectoryOrCreate' } },
    },
  },
  {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, namespace: 'ml' } },
    spec: {
      ...{ accessModes: ['ReadWriteMany'], storageClassName: '', volumeName: name },
      resources: { requests: { storage: '1Gi' } },
    },
  },
];

const certificates = `
openssl genrsa -out sa.key 2048; openssl rsa -in sa.key -pubout -out sa.pub
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=test-ca -days 2
openssl req -newkey rsa:2048 -nodes -keyout api.key -out api.csr -subj /O=system:masters/CN=apiserver
openssl x509 -req -in api.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out api.crt -days 2`;

async function untilTrue(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds().catch(() => false)); tries += 1) {
    if (tries > 120) throw new Error(`the cluster does not come up: ${what}`);
    await sleep(500);
  }
}

/** Starts a cluster with the claims `machine` (this machine's root) and `other` (an empty folder) in the namespace `ml`. */
export async function startKubernetes(): Promise<TestKubernetes> {
  const bin = programs();
  const dir = await mkdtemp(join(tmpdir(), 'workbench-kubernetes-'));
  // Not in the folder that is removed: nothing below it is ever deleted, and rmdir takes no mount point.
  const machine = await mkdtemp(join(tmpdir(), 'workbench-machine-'));
  const address = ownAddress();
  const [client = 0, peer = 0, api = 0, manager = 0, scheduler = 0, kubelet = 0] = await freePorts(6);
  const config = join(dir, 'kubeconfig');
  const kubectl = async (...args: readonly string[]) =>
    (await run('kubectl', ['--kubeconfig', config, '--namespace', 'ml', ...args])).stdout.trim();
  const children: ChildProcess[] = [];
  const ended: Promise<void>[] = [];
  const start = async (program: string, ...args: readonly string[]) => {
    const log = await open(join(dir, `${program}.log`), 'w');
    const child = spawn(join(bin, program), args, { cwd: dir, stdio: ['ignore', log.fd, log.fd] });
    children.push(child);
    ended.push(
      new Promise((resolve) =>
        child.once('exit', () => {
          resolve();
        }),
      ),
    );
    await log.close();
  };
  const stop = async () => {
    await kubectl('delete', 'jobs', '--all', '--grace-period=0', '--force').catch(() => '');
    await untilTrue(
      'pods are left',
      async () => (await kubectl('get', 'pods', '--output=name')) === '',
    ).catch(() => undefined);
    for (const child of [...children].reverse()) child.kill('SIGTERM');
    await Promise.all(ended);
    // What the kubelet would have removed some minutes later.
    const left = 'docker ps -aq --filter label=io.kubernetes.pod.namespace=ml | xargs -r docker rm -f';
    await run('sh', ['-c', left]).catch(() => undefined);
    await run('umount', [machine]).catch(() => undefined);
    await rmdir(machine).catch(() => undefined);
    // Memory that pods had as /dev/shm.
    await run('sh', ['-c', `grep -o ' ${dir}/[^ ]*' /proc/mounts | sort -r | xargs -r umount`]);
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await run('sh', ['-ec', certificates], { cwd: dir });
    await buildImages(dir, machine);
    await run('mount', ['--bind', '/', machine]);
    await writeFile(join(dir, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`);
    const cluster = { server: `https://127.0.0.1:${api}`, 'insecure-skip-tls-verify': true };
    await writeFile(
      config,
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
        clusters: [{ name: 'test', cluster }],
        users: [{ name: 'admin', user: { token } }],
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin', namespace: 'ml' } }],
      }),
    );
    const etcd = `http://127.0.0.1:${client}`;
    await start(
      'etcd',
      ...[
        `--data-dir=${join(dir, 'etcd')}`,
        `--listen-client-urls=${etcd}`,
        `--advertise-client-urls=${etcd}`,
      ],
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
    );
    await start(
      'kube-apiserver',
      ...[`--etcd-servers=${etcd}`, '--bind-address=127.0.0.1', `--secure-port=${api}`, '--insecure-port=0'],
      ...[
        `--cert-dir=${join(dir, 'certs')}`,
        '--service-cluster-ip-range=10.96.0.0/24',
        '--advertise-address=127.0.0.1',
      ],
      ...['--service-account-issuer=https://kubernetes.default.svc', '--service-account-key-file=sa.pub'],
      ...[
        '--service-account-signing-key-file=sa.key',
        '--token-auth-file=tokens.csv',
        '--authorization-mode=Node,RBAC',
      ],
      ...['--kubelet-client-certificate=api.crt', '--kubelet-client-key=api.key'],
      '--kubelet-preferred-address-types=InternalIP',
    );
    await untilTrue('the API server', async () => (await kubectl('get', '--raw', '/readyz')) === 'ok');
    const own = (port: number, name: string) => [
      ...[`--kubeconfig=${config}`, '--leader-elect=false', '--port=0', `--secure-port=${port}`],
      ...['--bind-address=127.0.0.1', `--cert-dir=${join(dir, name)}`],
    ];
    await start(
      'kube-controller-manager',
      ...own(manager, 'manager'),
      ...[
        '--service-account-private-key-file=sa.key',
        '--controllers=*,-nodeipam,-cloud-node-lifecycle,-route',
      ],
    );
    await start('kube-scheduler', ...own(scheduler, 'scheduler'));
    await writeFile(join(dir, 'kubelet.yaml'), JSON.stringify(kubeletConfig(dir, address, kubelet)));
    await start(
      'kubelet',
      ...['--config=kubelet.yaml', `--kubeconfig=${config}`, `--root-dir=${join(dir, 'kubelet')}`],
      ...['--container-runtime=docker', `--pod-infra-container-image=${images.pause}`, '--network-plugin='],
      ...['--hostname-override=node-a', `--cert-dir=${join(dir, 'kubelet-certs')}`],
    );
    await kubectl('create', 'namespace', 'ml');
    await writeFile(
      join(dir, 'volumes.json'),
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'List' },
        items: [...volumeOf('machine', '/'), ...volumeOf('other', join(dir, 'other'))],
      }),
    );
    await kubectl('apply', '--filename', join(dir, 'volumes.json'));
    await untilTrue('the node', async () =>
      (await kubectl('get', 'node', 'node-a', '--output=wide')).includes(' Ready'),
    );
    await untilTrue('its claims', async () => !(await kubectl('get', 'pvc')).includes('Pending'));
  } catch (error) {
    await stop();
    throw error;
  }
  return { env: { KUBECONFIG: config }, machine, image: images.machine, kubectl, stop };
}
