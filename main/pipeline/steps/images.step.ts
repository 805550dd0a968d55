import { imageFamily, inContainers } from '../../contract/run/engine-kinds';
import { skippedText } from '../../contract/run/run-events';
import type { RunSpec } from '../../contract/run/run-spec';
import { compareVersions } from '../../machine/releases';
import { readPackages } from '../../toolkit/toolkit';
import type { Step } from '../step';

/** TensorFlow of the last releases whose Triton has its backend. */
const servedTensorflow = '2.17';

/**
 * A SavedModel loads in its own TensorFlow or a later one, and NVIDIA's Triton has an older one than the client. null:
 * not served there, or not known to be newer.
 */
export function newerSavedModel(
  { format, engine }: Pick<RunSpec, 'format' | 'engine'>,
  packages: Readonly<Record<string, string>>,
): string | null {
  const writer = packages['tensorflow-cpu'];
  if (format !== 'tf-savedmodel' || writer === undefined || !inContainers(engine)) return null;
  if (
    imageFamily(engine) === 'cpu' ||
    compareVersions(/^\d+\.\d+/.exec(writer)?.[0] ?? '0', servedTensorflow) <= 0
  )
    return null;
  return `The SavedModel is written by TensorFlow ${writer}, and Triton's TensorFlow backend has ${servedTensorflow} at most. If Triton does not load it or the accuracy check fails, use the format ONNX or trt.`;
}

/** Builds or pulls the run's images, and records them. */
export const imagesStep: Step = {
  id: 'images',
  kind: 'session',
  needs: [],
  // NVIDIA's images are tens of gigabytes, hours on a slow line; a pull shows progress and can be cancelled.
  deadlineS: 24 * 3600,
  inputs: (run) => Promise.resolve(run.services.imageNames),
  async run(context) {
    const { run } = context;
    const { prepareImages } = run.services;
    if (prepareImages === null) return {};
    const { preflight } = run.state();
    if (preflight !== null && preflight.release !== null) context.fact('NGC release', preflight.release);
    if (preflight?.skipped === true) context.warning(skippedText(preflight));
    const images = await prepareImages(context);
    for (const image of images) {
      context.fact(
        image.role === 'triton' ? 'Triton image' : 'Client image',
        image.digest ?? image.reference,
      );
      context.fact(`Id of the ${image.role} image`, image.id);
      if (image.movedFrom !== undefined) {
        context.fact(`Earlier image of ${image.reference}`, image.movedFrom);
        context.warning(
          `${image.reference} is not the same image as at its last use (${image.movedFrom}): its tag was moved. Use a digest to pin it.`,
        );
      }
    }
    const triton = images.find((image) => image.role === 'triton');
    const name = triton === undefined ? null : (triton.digest ?? `${triton.reference} (${triton.id})`);
    const packages = await readPackages(run.services.toolkit, context.signal);
    const newer = newerSavedModel(run.spec, packages);
    if (newer !== null) context.warning(newer);
    const environment = { ...run.state().environment, image: name, images: [...images], packages };
    await run.append({ type: 'environment', environment });
    return {};
  },
};
