import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from './triton';

const run = promisify(execFile);

/** A Slurm cluster of this machine alone: a controller, and a daemon for each node. */
export interface TestCluster {
  /** What its commands need in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command of Slurm, as somebody at another terminal does. */
  readonly slurm: (program: string, ...args: readonly string[]) => Promise<string>;
  stop(): Promise<void>;
}

interface Config {
  readonly dir: string;
  readonly ports: readonly number[];
  readonly nodes: readonly string[];
}

function slurmConf({ dir, ports, nodes }: Config): string {
  const host = hostname();
  return [
    'ClusterName=workbench-test',
    `SlurmctldHost=${host}(127.0.0.1)`,
    `SlurmctldPort=${ports[0] ?? 0}`,
    // A cluster of whoever runs the tests.
    `SlurmUser=${userInfo().username}`,
    `SlurmdUser=${userInfo().username}`,
    'AuthType=auth/munge',
    `AuthInfo=socket=${join(dir, 'munge.socket')}`,
    `StateSaveLocation=${join(dir, 'state')}`,
    `SlurmdSpoolDir=${join(dir, 'spool-%n')}`,
    `SlurmctldPidFile=${join(dir, 'slurmctld.pid')}`,
    `SlurmdPidFile=${join(dir, 'slurmd-%n.pid')}`,
    `SlurmctldLogFile=${join(dir, 'slurmctld.log')}`,
    `SlurmdLogFile=${join(dir, 'slurmd-%n.log')}`,
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'JobAcctGatherType=jobacct_gather/none',
    // As on clusters without slurmdbd: what the controller has forgotten nobody knows.
    'AccountingStorageType=accounting_storage/none',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_CPU',
    'ReturnToService=2',
    'MpiDefault=none',
    'SwitchType=switch/none',
    'SchedulerParameters=sched_interval=1,bf_interval=1',
    ...nodes.map(
      (node, at) =>
        `NodeName=${node} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ports[at + 1] ?? 0} CPUs=1`,
    ),
    `PartitionName=work Nodes=${nodes.join(',')} Default=YES MaxTime=INFINITE State=UP`,
    '',
  ].join('\n');
}

const isThere = (program: string): boolean =>
  ['/usr/sbin', '/usr/bin'].some((folder) => existsSync(join(folder, program)));

/** Throws where a program is missing: a test that needs a cluster must not pass without one. */
function requirePrograms(): void {
  const missing = ['munged', 'slurmctld', 'slurmd', 'sbatch'].filter((program) => !isThere(program));
  if (missing.length > 0) throw new Error(`${missing.join(', ')} are not installed: run npm test once`);
}

/** Starts a cluster with these nodes in a folder of its own; it has nothing to do with one that the machine has. */
export async function startCluster(nodes: readonly string[] = ['n1', 'n2']): Promise<TestCluster> {
  requirePrograms();
  const dir = await mkdtemp(join(tmpdir(), 'workbench-slurm-'));
  await chmod(dir, 0o755);
  for (const name of ['state', ...nodes.map((node) => `spool-${node}`)]) await mkdir(join(dir, name));
  await writeFile(join(dir, 'munge.key'), randomBytes(1024), { mode: 0o400 });
  await writeFile(
    join(dir, 'slurm.conf'),
    slurmConf({ dir, ports: await freePorts(nodes.length + 1), nodes }),
  );
  const env = { SLURM_CONF: join(dir, 'slurm.conf') };
  const slurm = async (program: string, ...args: readonly string[]): Promise<string> =>
    (await run(program, args, { env: { ...process.env, ...env } })).stdout.trim();
  /** Each goes into the background by itself and writes its process id. */
  const daemon = (program: string, ...args: readonly string[]) =>
    new Promise<void>((resolve, reject) => {
      const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
      child.once('error', reject);
      child.once('exit', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`${program} ended with ${String(code)}; its log is in ${dir}`));
      });
    });
  const pidFiles = [...nodes.map((node) => `slurmd-${node}.pid`), 'slurmctld.pid', 'munged.pid'];
  const stop = async () => {
    await slurm('scancel', '--quiet', '--me').catch(() => '');
    for (const file of pidFiles) {
      const pid = Number(await readFile(join(dir, file), 'utf8').catch(() => ''));
      if (pid > 0) {
        try {
          process.kill(pid, file.startsWith('slurmd') ? 'SIGKILL' : 'SIGTERM');
        } catch {
          // It has ended.
        }
      }
    }
    await sleep(500);
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
  };
  try {
    await daemon(
      'munged',
      `--key-file=${join(dir, 'munge.key')}`,
      `--socket=${join(dir, 'munge.socket')}`,
      `--pid-file=${join(dir, 'munged.pid')}`,
      `--log-file=${join(dir, 'munged.log')}`,
      `--seed-file=${join(dir, 'munge.seed')}`,
      '--force',
    );
    await daemon('slurmctld', '-i');
    for (const node of nodes) await daemon('slurmd', '-N', node);
    for (let tries = 0; ; tries += 1) {
      const idle = await slurm('sinfo', '--noheader', '--Node', '--states=idle', '--format=%N').catch(
        () => '',
      );
      if (idle.split('\n').filter(Boolean).length === nodes.length) break;
      if (tries > 120) throw new Error(`the nodes do not come up; the logs are in ${dir}`);
      await sleep(500);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { env, slurm, stop };
}
