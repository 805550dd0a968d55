import { lstat, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { reachOf } from '../contract/reach';
import type { FileEntry } from '../contract/run/artefacts';
import { inContainers, isElsewhere } from '../contract/run/engine-kinds';
import type { RunContent } from '../contract/run/run-content';
import { type JournalBody, type StepId, stepsOf } from '../contract/run/run-events';
import { engineOf, knownParameters, serverLoadOf } from '../contract/run/run-source';
import type { RunSpec } from '../contract/run/run-spec';
import { reduceRun, type RunState } from '../contract/run/run-state';
import { pathsOfLoad } from '../contract/run/server-load';
import { type OfType, sameValue } from '../contract/trees';
import { requireAgain } from '../domain/measured/again';
import { hashValue } from '../platform/files';
import { acquireLease } from '../store/file-lease';
import { listContents, ReadContents } from '../store/file-manifest';
import { type JournalContent, JournalWriter } from '../store/journal';
import { sweepRunFiles } from '../store/run-files';
import type { RunFolder } from '../store/run-folder';
import { requireSameRun } from '../store/run-key';
import type { RunStore } from '../store/run-store';
import type { AttemptStops } from './attempt';
import { notRunnable, requireDeployed } from './deployed-run';
import { ContinueNow } from './hold';
import { needsContainers, plannedSteps, stepKeys } from './plan';
import type { ExecuteOptions, RunsOptions, StartHow } from './run-options';
import type { RunContext, Step, StepInputs } from './step';
import { isVouched } from './step-files';

/** A run with its lease and journal. */
export interface OpenedRun extends Pick<RunContext, 'runId' | 'folder' | 'state' | 'append' | 'emit'> {
  readonly content: JournalContent;
  readonly stops: AttemptStops;
  close(): Promise<void>;
}

/** Throws run-unknown, run-busy, journal-corrupt, run-folder-unsafe. @param requireOwnWork throws if not executable */
export async function openRun(
  { store, emit }: Pick<RunsOptions, 'store' | 'emit'>,
  runId: string,
  requireOwnWork: (state: RunState) => Promise<void>,
): Promise<OpenedRun> {
  const folder = await store.folderOf(runId);
  const release = await acquireLease(folder.dir);
  const journal: { writer: JournalWriter | null } = { writer: null };
  const close = async () => {
    await journal.writer?.close();
    await release();
  };
  try {
    for (const request of [folder.cancelRequest, folder.pauseRequest]) await rm(request, { force: true });
    await sweepRunFiles(folder);
    const { writer, content } = await JournalWriter.open(folder.journal);
    journal.writer = writer;
    let state = await store.stateOf(content, folder.journal);
    requireSameRun(state.runId, runId, folder.dir);
    await requireOwnWork(state);
    return {
      runId,
      folder,
      content,
      emit,
      close,
      stops: {
        cancel: new AbortController(),
        pause: new AbortController(),
        continueNow: new ContinueNow(),
      },
      state: () => state,
      async append(body) {
        const entry = await writer.append(body);
        state = reduceRun(state, entry) ?? state;
        emit({ type: 'journal', runId, entry });
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface Next {
  readonly spec: RunSpec;
  /** Steps to repeat regardless of keys. */
  readonly forgotten: readonly StepId[];
}

/** Remaining steps, in order. Throws errors of their inputs. */
export async function stepsLeft(
  { steps, presetOf, inputServices }: RunsOptions,
  state: RunState,
  { spec, folder }: Pick<StepInputs, 'spec' | 'folder'>,
): Promise<readonly StepId[]> {
  const preset = await presetOf(spec.model);
  const services = await inputServices(spec, preset.preset.framework ?? 'pyt');
  const applying = stepsOf(spec);
  const own = steps.filter(({ id }) => applying.includes(id));
  const planned = plannedSteps(own, state, await stepKeys(own, { spec, preset, services, folder }));
  return own.map(({ id }) => id).filter((id) => planned.has(id));
}

/** Whether container steps remain. Throws errors of their inputs. */
async function hasContainersLeft(
  options: RunsOptions,
  { state, folder }: OpenedRun,
  { spec, forgotten }: Next,
): Promise<boolean> {
  const left = await stepsLeft(options, state(), { spec, folder });
  return needsContainers(options.steps, new Set([...left, ...forgotten]));
}

/** null if its containers are done. Problems accepted before for this engine stay accepted. Throws as `preflight`. */
export async function preflightAgain(
  options: RunsOptions,
  opened: OpenedRun,
  next: Next,
  how: StartHow,
): Promise<JournalBody | null> {
  const { attempt, preflight } = opened.state();
  const { spec: before } = requireDeployed(opened.state()).source;
  const { engine, format } = next.spec;
  // Only containers have a preflight; keys hash all input files.
  if (attempt > 0 && inContainers(engine)) {
    if (!(await hasContainersLeft(options, opened, next).catch(() => true))) return null;
  }
  const isSame = sameValue([before.engine, before.format], [engine, format]);
  const passed = isSame && preflight?.skipped === true ? preflight.problems.map(({ title }) => title) : [];
  return options.preflight(next.spec, { ...how, passed });
}

/** Whether more than continuing is requested. */
export const isChange = ({ from, spec, again = false }: ExecuteOptions): boolean =>
  from !== undefined || spec !== undefined || again;

/** Journal record for repeated levels. Throws input-invalid if none is in doubt, or for other changes. */
export function levelsAgain(
  { again = false, ...other }: ExecuteOptions,
  state: RunState,
): readonly OfType<JournalBody, 'levels-again'>[] {
  if (!again) return [];
  if (!isChange(other)) return [{ type: 'levels-again', levels: [...requireAgain(state).levels] }];
  throw new WorkbenchError('input-invalid', '--again cannot be used with --set or --from', {
    where: state.runId,
    remedy: 'Leave out one of them.',
  });
}

/** Ends the wait of an active run, as the obstacle may be gone. Throws run-busy if it does not wait. */
export function continued<End>(
  runId: string,
  { stops, end }: { readonly stops: AttemptStops; readonly end: Promise<End> },
  options: ExecuteOptions,
): { readonly end: Promise<End> } {
  if (!isChange(options) && stops.continueNow.ask()) return { end };
  throw new WorkbenchError('run-busy', 'The run is in progress in this workbench', {
    where: runId,
    remedy: options.spec === undefined ? undefined : 'Pause or cancel the run, then change it.',
  });
}

/** Always data; other files may be programs. */
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

/** Files left for later steps. Throws run-folder-unsafe. */
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

/** Code and addresses of an imported run. Throws run-unknown, journal-corrupt, run-folder-unsafe. */
export async function runContent(
  store: RunStore,
  steps: readonly Step[],
  runId: string,
): Promise<RunContent> {
  const { folder, state } = await store.load(runId);
  const created = await store.specificationHash(folder);
  const files = await keptFiles(folder, steps);
  const { paths, images, machines } = reachOf(knownParameters(state));
  const [engine, load] = [engineOf(state), serverLoadOf(state)];
  const read = load === null ? [] : pathsOfLoad(load);
  return {
    runId,
    dir: folder.dir,
    hash: hashValue({ created, files }),
    created,
    images: images.map(({ value }) => value),
    paths: [...paths.map(({ value }) => value), ...read],
    server: engine !== null && isElsewhere(engine) ? engine.url : null,
    machines: machines.map(({ value }) => value),
    code: files.map(({ path }) => path).filter((path) => !dataEndings.has(extname(path).toLowerCase())),
    files,
  };
}

const listed = (items: readonly string[]): string =>
  items.slice(0, mostShown).join(', ') +
  (items.length > mostShown ? `, and ${items.length - mostShown} more` : '');

/** The same as an error with a list. */
function notTrusted({ runId, dir, images, paths, server, machines, code }: RunContent): WorkbenchError {
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
      remedy: `Review them. Then run "triton-workbench resume ${runId} --trust", or press "Trust and continue…" in the window.`,
    },
  );
}

/** Throws input-invalid for imported figures, and not-trusted with `contentOf` for runs from elsewhere. */
export async function requireOwnWork(
  { runId, source, origin }: RunState,
  contentOf: () => Promise<RunContent>,
): Promise<void> {
  if (source.kind === 'imported') throw notRunnable(runId);
  // Consent to addresses and inputs was given in the creating home.
  if (source.kind === 'server' && origin !== 'own') {
    throw new WorkbenchError(
      'input-invalid',
      'A run from elsewhere that measured a running Triton cannot be continued',
      { where: runId, remedy: 'Measure that server from here.' },
    );
  }
  if (origin === 'foreign') throw notTrusted(await contentOf());
}

/** Throws input-invalid if the content changed since it was reviewed. */
export function requireContent({ dir, hash }: RunContent, seen: string): void {
  if (hash === seen) return;
  throw new WorkbenchError('input-invalid', 'The files of the run changed before you confirmed', {
    where: dir,
    remedy: 'Check the run again before you trust it.',
  });
}
