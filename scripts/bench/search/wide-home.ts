import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { homeLayout } from '../../../main/platform/layout';
import { option } from '../bench-facts';
import { wideCandidates } from './wide-space';

const execute = promisify(execFile);
const tools = ['python', 'triton', 'perf-analyzer', 'electron'] as const;

/** A workbench home of a bench with a finished run of the wide model; its first candidate is the run. */
export interface WideHome {
  readonly home: string;
  readonly app: string;
  readonly runId: string;
  readonly env: NodeJS.ProcessEnv;
  /** The built command line in that home. @returns stdout. Throws where it ends with another code than 0. */
  readonly cli: (...args: readonly string[]) => Promise<string>;
  remove(): Promise<void>;
}

/** Makes the model, and runs it once: exported, checked and measured at one load. */
export async function makeWideHome(): Promise<WideHome> {
  const app = option('app', '.');
  const home = await mkdtemp(join(tmpdir(), 'workbench-search-bench-'));
  const env = {
    ...process.env,
    ...{ TRITON_WORKBENCH_HOME: home, TRITON_WORKBENCH_APP: app, XDG_CONFIG_HOME: join(home, 'no-config') },
    TRITON_WORKBENCH_RESOURCES: join(app, 'resources'),
  };
  const cli = async (...args: readonly string[]): Promise<string> => {
    const own = [option('cli', ''), ...args];
    return (await execute(process.execPath, own, { env, maxBuffer: 2 ** 26 })).stdout;
  };
  const remove = () => rm(home, { recursive: true, force: true });
  try {
    for (const tool of tools) await symlink(join(option('home', ''), tool), join(home, tool));
    const model = join(home, 'wide.onnx');
    const script = join(app, 'scripts', 'bench', 'search', 'wide_model.py');
    await execute(homeLayout(home).python, [script, model]);
    const [first] = wideCandidates;
    const fields = Object.entries(first ?? {}).flatMap(([field, value]) => [
      '--set',
      `configure.${field}=${JSON.stringify(value)}`,
    ]);
    const ran = await cli(
      ...['run', model, '--profile', 'quick', '--name', 'wide', '--json', ...fields],
      ...['--batch-sizes', '1', '--concurrency', '1', '--measurement-interval-ms', '300'],
      ...['--set', 'performance.maxTrials=3', '--set', 'performance.stabilityPercentage=1000000'],
    );
    const { runId } = z.looseObject({ runId: z.string() }).parse(JSON.parse(ran));
    return { home, app, env, runId, cli, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
