import { WorkbenchError } from '../contract/errors';
import type { GpuReport } from '../contract/machine';
import type { PublishedGpu } from '../contract/published-gpu';
import { publishedGpuOf, publishedGpus } from '../contract/published-gpu';
import type { Tree } from '../contract/trees';
import { isTree } from '../contract/trees';

/** The GPU that containers are given: of "all" the first, else the one of the first UUID. */
function givenGpu({ gpus }: GpuReport, ids: readonly unknown[]): string | null {
  const [first] = ids;
  const found = first === 'all' ? gpus[0] : gpus.find(({ uuid }) => uuid === first);
  return found?.name ?? null;
}

/** Only of the full model, in containers that are given GPUs, and where nobody names one. */
function asksForDetection(overrides: Tree): readonly unknown[] | null {
  const { model, engine } = overrides;
  if (!isTree(model) || model['profile'] !== 'full' || overrides['targetGpu'] !== undefined) return null;
  if (!isTree(engine) || engine['kind'] !== 'docker' || engine['images'] === 'cpu') return null;
  const { gpus } = engine;
  return Array.isArray(gpus) && gpus.length > 0 ? gpus : null;
}

/**
 * The GPU whose published defaults and figures are taken: the one that `--gpu` names, with `auto` the first of this
 * machine; without the option the one that the containers are given, if anything is published of it. Throws input-invalid.
 */
export async function readTargetGpu(
  option: string | undefined,
  overrides: Tree,
  from: { readonly gpus: () => Promise<GpuReport>; readonly note: (line: string) => void },
): Promise<PublishedGpu | null> {
  if (option === 'none') return null;
  if (option === undefined) {
    const ids = asksForDetection(overrides);
    const name = ids === null ? null : givenGpu(await from.gpus(), ids);
    const gpu = name === null ? null : publishedGpuOf(name);
    if (gpu !== null) {
      from.note(`${String(name)}: the defaults published for ${gpu} are used; --gpu none skips them.`);
    }
    return gpu;
  }
  const named = publishedGpus.find((gpu) => gpu.toLowerCase() === option.toLowerCase());
  if (named !== undefined) return named;
  const remedy = `Choose ${publishedGpus.join(', ')}, auto or none.`;
  if (option !== 'auto') {
    throw new WorkbenchError('input-invalid', `No defaults are published for a GPU "${option}"`, {
      where: '--gpu',
      remedy,
    });
  }
  const report = await from.gpus();
  const name = givenGpu(report, ['all']);
  const found = name === null ? null : publishedGpuOf(name);
  if (found !== null) return found;
  const message =
    name === null
      ? `No NVIDIA GPU detected on this machine${report.problem === null ? '' : `: ${report.problem}`}`
      : `No defaults are published for this machine's ${name}`;
  throw new WorkbenchError('input-invalid', message, { where: '--gpu', remedy });
}
