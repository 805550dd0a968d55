import type { HomeLayout } from '../platform/layout';
import { pythonMissing } from '../toolkit/local-python';
import type { EnsurePython } from '../toolkit/toolkit';
import type { Setup } from './setup';

/**
 * The Python with TensorFlow: installed by the first run that needs it, made anew where it was cut short or the pinned
 * versions changed. The returned function throws toolchain-missing (no Python, no network), disk-full, cancelled.
 */
export function createTensorflowOnDemand(
  setup: Pick<Setup, 'status' | 'install'>,
  layout: Pick<HomeLayout, 'tensorflow' | 'python'>,
): EnsurePython {
  return async (listener) => {
    if ((await setup.status('tensorflow')).state === 'ready') return layout.tensorflow;
    // A run installs nothing but what is its own: the rest was asked for before it began.
    if (['missing', 'broken'].includes((await setup.status('python')).state)) {
      throw pythonMissing(layout.python);
    }
    await setup.install(
      ['tensorflow'],
      { repair: false },
      {
        ...listener,
        onComponent: () => undefined,
        onProgress: (fraction, text) => {
          listener.onProgress(fraction, `TensorFlow: ${text}`);
        },
      },
    );
    return layout.tensorflow;
  };
}
