import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { repoRoot } from './lib/layout.mjs';
import { say } from './lib/say.mjs';
import { runCampaign, vitest } from './lib/test-parts.mjs';

const help = `npm run test:kubernetes
Runs the engine of Kubernetes on a private cluster of one node on this machine: API server, controller manager, scheduler
and kubelet of Kubernetes 1.20 are built once from Debian 12's source package (some minutes, 350 MB in ~/.cache), and etcd
is Debian's. Needs root and Docker. A run goes from its queue to its report; pods are deleted, reach their deadline, have no
GPU, no image, too little memory or the wrong volume; resume completes what was cut. Exit code 1: something was lost,
doubled or not told.`;

process.env.TRITON_WORKBENCH_TEST_KUBERNETES ??= join(
  homedir(),
  '.cache',
  'triton-workbench-tests',
  'kubernetes',
);
const folder = process.env.TRITON_WORKBENCH_TEST_KUBERNETES;
const asksForHelp = process.argv.some((argument) => argument === '--help' || argument === '-h');
if (!asksForHelp && !existsSync(join(folder, 'bin', 'kubelet'))) {
  say(`Building Kubernetes in ${folder}`);
  const build = join(repoRoot, 'scripts', 'lib', 'build-kubernetes.sh');
  const { status } = spawnSync('bash', [build, folder], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
await runCampaign(vitest('kubernetes-campaign'), help, { docker: true });
