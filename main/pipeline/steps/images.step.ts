import { skippedText } from '../../contract/run/run-events';
import { readPackages } from '../../toolkit/packages';
import type { Step } from '../step';

/** Containers only: every image of the run is on the engine, built or pulled, and the run's record names each. */
export const imagesStep: Step = {
  id: 'images',
  kind: 'session',
  needs: [],
  // NVIDIA's images are tens of gigabytes, hours on a slow line, and every pull shows its progress and can be cancelled.
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
    const environment = { ...run.state().environment, image: name, images: [...images], packages };
    await run.append({ type: 'environment', environment });
    return {};
  },
};
