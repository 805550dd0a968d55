import { symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OnDemandId } from '../../main/contract/setup';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createPythonOnDemand, createSetup } from '../../main/setup/setup';
import { createTestHome, repository, type TestHome } from './home';

/** The first of all runs on a machine fetches TensorFlow; later ones find it in the real home. */
export const tensorflowInstallMs = 900_000;

/** A test home with every tool and a further component of the real home, installed there where it is missing. */
async function createHomeWith(id: OnDemandId): Promise<TestHome> {
  const layout = homeLayout(defaultHome(process.env));
  const setup = createSetup({ layout, resources: join(repository, 'resources'), env: process.env });
  const ensure = createPythonOnDemand(setup, layout, id);
  const python = await ensure({
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onStderrLine: () => undefined,
  });
  const home = await createTestHome();
  await symlink(dirname(dirname(python)), join(home.path, id));
  return home;
}

export const createTensorflowHome = (): Promise<TestHome> => createHomeWith('tensorflow');

export const createTransformersHome = (): Promise<TestHome> => createHomeWith('transformers');

export const createTreesHome = (): Promise<TestHome> => createHomeWith('trees');
