import { pythonOf } from '../contract/run/own-model';
import type { Framework, RunSpec } from '../contract/run/run-spec';
import { planPlace } from '../formats/trt.format';
import { readGpus } from '../machine/gpu-report';
import { problem } from '../machine/preflight-docker';
import { createLoadTools } from '../perf/load-tools';
import { createPythonOnDemand } from '../setup/setup';
import { createLocalPython, createPythonAhead } from '../toolkit/local-python';
import type { Executor, ExecutorRun } from './engine';
import type { Engine, EngineParts } from './engine-interface';

/** This machine's GPUs with compute capabilities. */
export const gpuNamesHere = async (env: NodeJS.ProcessEnv): Promise<readonly string[]> =>
  (await readGpus(env)).gpus.map((gpu) => `${gpu.name} ${gpu.computeCapability ?? ''}`.trim());

/** Shared by engines whose clients are local processes. */
export const withoutImages: Pick<
  Engine<unknown>,
  'link' | 'check' | 'imageNames' | 'completed' | 'preflight' | 'gpuNames' | 'checkPlan' | 'sweep'
> = {
  link: (_engine, { docker }) => Promise.resolve(docker),
  check: () => Promise.resolve(),
  imageNames: () => Promise.resolve([]),
  completed: (_engine, spec) => Promise.resolve(spec),
  preflight: () => Promise.resolve(null),
  gpuNames: (_engine, { env }) => gpuNamesHere(env),
  checkPlan: () => Promise.resolve(problem(planPlace.reason, planPlace.remedy)),
  sweep: () => Promise.resolve({ ended: [], removedContainers: [] }),
};

/** A place on this machine without images. */
export function executorHere(
  startServer: Executor['startServer'],
  { source }: RunSpec['model'],
  { framework }: ExecutorRun,
  parts: EngineParts,
): Executor {
  const { layout, env, resources } = parts;
  const ahead = createPythonAhead(source?.kind === 'onnx' ? ['onnxruntime'] : ['framework']);
  const place = pythonOf(framework, { source });
  const python = place === 'python' ? layout.python : createPythonOnDemand(parts.setup, layout, place);
  return {
    startServer,
    launchPython: createLocalPython({ python, resources, env, cache: layout.cache, ahead }),
    loadTools: createLoadTools(parts),
    imageNames: [],
    prepareImages: null,
    engineWatch: null,
    reclaim: () => Promise.resolve(),
    release: () => {
      ahead.close();
      return Promise.resolve();
    },
  };
}

/** Environment in which a framework's model is served; null: the workbench's. */
export const modelPythonOf = (
  framework: Framework,
  { setup, layout }: Pick<EngineParts, 'setup' | 'layout'>,
) => (framework === 'tf' ? createPythonOnDemand(setup, layout, 'tensorflow') : null);
