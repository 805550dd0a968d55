import { symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createSetup, createTensorflowOnDemand } from '../../main/setup/setup';
import { createTestHome, repository, type TestHome } from './home';

/** The first of all runs on a machine fetches TensorFlow; later ones find it in the real home. */
export const tensorflowInstallMs = 900_000;

/** A test home with every tool and the real home's environment with TensorFlow, installed there where it is missing. */
export async function createTensorflowHome(): Promise<TestHome> {
  const layout = homeLayout(defaultHome(process.env));
  const setup = createSetup({ layout, resources: join(repository, 'resources'), env: process.env });
  const ensure = createTensorflowOnDemand(setup, layout);
  const python = await ensure({
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onStderrLine: () => undefined,
  });
  const home = await createTestHome();
  await symlink(dirname(dirname(python)), join(home.path, 'tensorflow'));
  return home;
}
