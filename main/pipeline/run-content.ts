import { lstat } from 'node:fs/promises';
import { extname } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { reachOf } from '../contract/reach';
import type { FileEntry } from '../contract/run/artefacts';
import type { RunContent } from '../contract/run/run-content';
import { pathsOfLoad } from '../contract/run/server-load';
import { hashValue } from '../platform/files';
import { listContents, ReadContents } from '../store/file-manifest';
import type { RunFolder } from '../store/run-folder';
import type { RunStore } from '../store/run-store';
import type { Step } from './step';
import { isVouched } from './step-files';

/** Files that are data whoever wrote them; all others are shown as programs. */
const dataEndings: ReadonlySet<string> = new Set([
  '.json',
  '.csv',
  '.npy',
  '.npz',
  '.raw',
  '.bin',
  '.txt',
  '.pbtxt',
  '.onnx',
  '.jpg',
  '.jpeg',
  '.png',
]);

const mostShown = 12;

/** Every file that the steps have left for later ones. Throws run-folder-unsafe. */
async function keptFiles(folder: RunFolder, steps: readonly Step[]): Promise<readonly FileEntry[]> {
  const contents = new ReadContents();
  const found: FileEntry[] = [];
  for (const { id, kind } of steps) {
    const isThere = await lstat(folder.step(id)).catch(() => null);
    if (kind !== 'files' || isThere === null) continue;
    const listed = await listContents(folder.step(id), {
      sync: false,
      contents,
      except: (path) => !isVouched(path),
    });
    found.push(...listed.map((file) => ({ ...file, path: `steps/${id}/${file.path}` })));
  }
  return found;
}

/** What a run from elsewhere would execute and reach. Throws run-unknown, journal-corrupt, run-folder-unsafe. */
export async function runContent(
  store: RunStore,
  steps: readonly Step[],
  runId: string,
): Promise<RunContent> {
  const { folder, state } = await store.load(runId);
  const created = await store.specificationHash(folder);
  const files = await keptFiles(folder, steps);
  const { paths, images, machines } = reachOf(state.spec);
  const read = state.onServer === null ? [] : pathsOfLoad(state.onServer);
  return {
    runId,
    dir: folder.dir,
    hash: hashValue({ created, files }),
    created,
    images: images.map(({ value }) => value),
    paths: [...paths.map(({ value }) => value), ...read],
    server: state.spec.engine.kind === 'remote' ? state.spec.engine.url : null,
    machines: machines.map(({ value }) => value),
    code: files.map(({ path }) => path).filter((path) => !dataEndings.has(extname(path).toLowerCase())),
    files,
  };
}

const listed = (items: readonly string[]): string =>
  items.slice(0, mostShown).join(', ') +
  (items.length > mostShown ? `, and ${items.length - mostShown} more` : '');

/** What continuing it would do, as a sentence and a list. Pure. */
export function notTrusted({
  runId,
  dir,
  images,
  paths,
  server,
  machines,
  code,
}: RunContent): WorkbenchError {
  const parts = [
    code.length === 0 ? [] : [`files ${listed(code)}`],
    images.length === 0 ? [] : [`images ${listed(images)}`],
    paths.length === 0 ? [] : [`with access to ${listed(paths)}`],
    server === null ? [] : [`against ${server}`],
    machines.length === 0 ? [] : [`on ${listed(machines)}`],
  ].flat();
  const what = parts.length === 0 ? 'its specification' : parts.join('; ');
  return new WorkbenchError(
    'not-trusted',
    `This run was not created in this workbench home. Continuing it would run: ${what}`,
    {
      where: dir,
      remedy: `Read them. Then run "triton-workbench resume ${runId} --trust", or press "Trust and continue…" in the window.`,
    },
  );
}

/** Throws input-invalid where the content is not the one that somebody has seen. */
export function requireContent({ dir, hash }: RunContent, seen: string): void {
  if (hash === seen) return;
  throw new WorkbenchError('input-invalid', 'The files of the run changed before you confirmed', {
    where: dir,
    remedy: 'Check the run again before you trust it.',
  });
}
