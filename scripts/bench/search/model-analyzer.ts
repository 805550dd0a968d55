import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { readLocalToolchain } from '../../../main/engine/local/server-command';
import { readTable, type TableRow } from '../../../main/perf/import/model-analyzer-table';
import { exists } from '../../../main/platform/files';
import { homeLayout } from '../../../main/platform/layout';
import { freePorts } from '../../../test/support/triton';
import { option } from '../bench-facts';
import { runGroup } from './child-group';
import { wideSpace } from './wide-space';

const execute = promisify(execFile);
export const analyzerVersion = '1.58.0';
/** Of Optuna; `--trials` shortens it. */
const mostTrials = Number(option('trials', '16'));
export const trials = { least: Math.min(8, mostTrials), most: mostTrials } as const;

export const analyzerModes = ['optuna', 'quick'] as const;
export type AnalyzerMode = (typeof analyzerModes)[number];

/** A configuration of the wide model with the load that it takes within the target. */
export interface Winner {
  readonly instances: number;
  readonly maxBatchSize: number;
  readonly concurrency: number;
}

export interface Answered {
  readonly winner: Winner;
  /** From the prepared model to the answer, the start of the program among them. */
  readonly seconds: number;
  /** Measurements that it took, as far as its result tells. */
  readonly measurements: number;
}

/** Where the model and the tools are. */
export interface AnalyzerPlaces {
  /** The workbench home of the bench. */
  readonly home: string;
  /** A folder that stays: the program is installed there once. */
  readonly tools: string;
  /** The model repository of the bundle of the run. */
  readonly models: string;
}

/** Its environment, made from PyPI with the workbench's own Python. @returns the program */
export async function installAnalyzer({ home, tools }: AnalyzerPlaces): Promise<string> {
  const folder = join(tools, `model-analyzer-${analyzerVersion}`);
  const program = join(folder, 'bin', 'model-analyzer');
  if (await exists(program)) return program;
  await execute(homeLayout(home).python, ['-m', 'venv', folder]);
  const asked = ['install', '--quiet', `triton-model-analyzer==${analyzerVersion}`];
  await execute(join(folder, 'bin', 'pip'), asked, { maxBuffer: 2 ** 26 });
  return program;
}

/** The configuration file of a profile: the space, the load and the target, which `search --from-analyzer` reads too. */
export function analyzerConfig(mode: AnalyzerMode): Readonly<Record<string, unknown>> {
  const { instances, maxBatchSizes, concurrency, latencyUs } = wideSpace;
  return {
    profile_models: { wide: { cpu_only: true } },
    run_config_search_mode: mode,
    run_config_search_min_instance_count: Math.min(...instances),
    run_config_search_max_instance_count: Math.max(...instances),
    run_config_search_min_model_batch_size: Math.min(...maxBatchSizes),
    run_config_search_max_model_batch_size: Math.max(...maxBatchSizes),
    run_config_search_min_concurrency: Math.min(...concurrency),
    run_config_search_max_concurrency: Math.max(...concurrency),
    ...(mode === 'optuna' ? { optuna_min_trials: trials.least, optuna_max_trials: trials.most } : {}),
    latency_budget: latencyUs / 1000,
    client_protocol: 'grpc',
  };
}

async function serverOptions(home: string): Promise<Readonly<Record<string, unknown>>> {
  const layout = homeLayout(home);
  const { program, backends, libraryPath, pythonBin, sitePackages } = await readLocalToolchain(layout);
  const [http, grpc, metrics] = await freePorts(3);
  return {
    triton_launch_mode: 'local',
    triton_server_path: program,
    triton_http_endpoint: `127.0.0.1:${http}`,
    triton_grpc_endpoint: `127.0.0.1:${grpc}`,
    triton_metrics_url: `http://127.0.0.1:${metrics}/metrics`,
    triton_server_flags: { 'backend-directory': backends, 'allow-gpu-metrics': 'False' },
    triton_server_environment: {
      // perf_analyzer gets it, too.
      LD_LIBRARY_PATH: [...libraryPath, layout.perfAnalyzerLibraries].join(delimiter),
      PATH: [pythonBin, process.env['PATH'] ?? ''].join(delimiter),
      PYTHONPATH: sitePackages,
    },
    perf_analyzer_path: layout.perfAnalyzer,
  };
}

function winnerOf(rows: readonly TableRow[]): Winner {
  const [best] = rows
    .filter((row) => row.text('Satisfies Constraints') === 'Yes')
    .toSorted(
      (one, other) =>
        (other.number('Throughput (infer/sec)') ?? 0) - (one.number('Throughput (infer/sec)') ?? 0),
    );
  if (best === undefined) throw new Error('Model Analyzer found no configuration within the target');
  const instances = Number(/^(\d+):CPU$/.exec(best.text('Instance Group'))?.[1] ?? Number.NaN);
  const [maxBatchSize, concurrency] = [best.whole('Max Batch Size'), best.whole('Concurrency')];
  if (Number.isNaN(instances) || maxBatchSize === null || concurrency === null) {
    throw best.fail('The row names no configuration');
  }
  return { instances, maxBatchSize, concurrency };
}

/** A profile from the model repository to the tables of its results. */
export async function runAnalyzer(
  program: string,
  places: AnalyzerPlaces,
  mode: AnalyzerMode,
  signal: AbortSignal,
): Promise<Answered> {
  const dir = await mkdtemp(join(places.home, `model-analyzer-${mode}-`));
  try {
    const models = join(dir, 'models');
    await cp(places.models, models, { recursive: true });
    await mkdir(join(dir, 'checkpoints'));
    const config = {
      ...{ model_repository: models, export_path: dir, checkpoint_directory: join(dir, 'checkpoints') },
      ...{ output_model_repository_path: join(dir, 'variants'), override_output_model_repository: true },
      skip_detailed_reports: true,
      ...analyzerConfig(mode),
      ...(await serverOptions(places.home)),
    };
    const file = join(dir, 'config.yaml');
    await writeFile(file, stringify(config));
    const seconds = await runGroup(
      {
        argv: [program, 'profile', '--config-file', file],
        env: {
          ...process.env,
          PATH: [dirname(program), process.env['PATH'] ?? ''].join(delimiter),
        },
        cwd: dir,
        log: join(dir, 'profile.log'),
      },
      signal,
    );
    const name = 'metrics-model-inference.csv';
    const { rows } = readTable(await readFile(join(dir, 'results', name), 'utf8'), name);
    return { winner: winnerOf(rows), seconds, measurements: rows.length };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
