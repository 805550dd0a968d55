import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { homeLayout } from '../../main/platform/layout';
import { repository } from './home';

/** Writes the models of test/python/make_models.py into a folder, with the Python of a home. @returns the folder */
export async function makeModels(home: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await promisify(execFile)(homeLayout(home).python, ['make_models.py', folder], {
    cwd: join(repository, 'test', 'python'),
    env: { ...process.env, PYTHONPATH: join(repository, 'resources'), PYTHONDONTWRITEBYTECODE: '1' },
  });
  return folder;
}
