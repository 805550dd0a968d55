import type { ContainerInfo, DockerState, ImageWork } from '../../../main/contract/docker';

export const containerFixture = (change: Partial<ContainerInfo> = {}): ContainerInfo => ({
  id: 'a1b2c3d4e5f6',
  name: 'workbench-triton',
  role: 'triton',
  runId: 'run-1',
  step: 'deploy',
  state: 'running',
  status: 'Up 3 minutes',
  image: 'triton-workbench/triton-cpu:1',
  imageId: `sha256:${'0'.repeat(64)}`,
  ports: [{ containerPort: 8000, hostAddress: '127.0.0.1:49153' }],
  gpus: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  shellCommand: 'docker exec -it a1b2c3d4e5f6 sh',
  ...change,
});

export const dockerFixture = (change: Partial<DockerState> = {}): DockerState => ({
  connection: 'connected',
  host: 'unix:///var/run/docker.sock',
  error: null,
  containers: [containerFixture()],
  listedAt: '2026-01-01T00:00:01.000Z',
  ...change,
});

export const imageWorkFixture = (change: Partial<ImageWork> = {}): ImageWork => ({
  id: 'w1',
  kind: 'pull',
  image: 'name:1',
  status: 'running',
  fraction: 0.5,
  text: 'Downloading, 1 of 2 MiB',
  lines: [],
  error: null,
  ...change,
});
