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

/** A run whose lease and journal are ours. */
export interface OpenedRun extends Pick<RunContext, 'runId' | 'folder' | 'state' | 'append' | 'emit'> {
  readonly content: JournalContent;
  readonly stops: AttemptStops;
  /** Gives back both. */
  close(): Promise<void>;
}

/**
 * Takes lease and journal of a run. Throws run-unknown, run-busy, journal-corrupt, run-folder-unsafe.
 * @param requireOwnWork throws for a run that may not be worked on
 */
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
      ...{ runId, folder, content, emit, close },
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
  /** Steps that are done again whatever their keys say. */
  readonly forgotten: readonly StepId[];
}

/** The steps that a run has left to do with this specification, in their order. Throws what its inputs throw. */
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

/** Whether the containers of a run have something left to do. Throws what its inputs throw. */
async function hasContainersLeft(
  options: RunsOptions,
  { state, folder }: OpenedRun,
  { spec, forgotten }: Next,
): Promise<boolean> {
  const left = await stepsLeft(options, state(), { spec, folder });
  return needsContainers(options.steps, new Set([...left, ...forgotten]));
}

/**
 * The preflight of a run that continues: null where its containers have nothing left to do, and with what somebody has passed
 * over for this engine already passed over. Throws as `RunsOptions.preflight`.
 */
export async function preflightAgain(
  options: RunsOptions,
  opened: OpenedRun,
  next: Next,
  how: StartHow,
): Promise<JournalBody | null> {
  const { attempt, preflight } = opened.state();
  const { spec: before } = requireDeployed(opened.state()).source;
  const { engine, format } = next.spec;
  // No other place has a preflight, and the keys are of all files that go in.
  if (attempt > 0 && inContainers(engine)) {
    if (!(await hasContainersLeft(options, opened, next).catch(() => true))) return null;
  }
  const isSame = sameValue([before.engine, before.format], [engine, format]);
  const passed = isSame && preflight?.skipped === true ? preflight.problems.map(({ title }) => title) : [];
  return options.preflight(next.spec, { ...how, passed });
}

/** Whether more is asked for than to continue what is there. */
export const isChange = ({ from, spec, again = false }: ExecuteOptions): boolean =>
  from !== undefined || spec !== undefined || again;

/** What to journal of levels that are measured again. Throws input-invalid where none is in doubt, or more is asked for. */
export function levelsAgain(
  { again = false, ...other }: ExecuteOptions,
  state: RunState,
): readonly OfType<JournalBody, 'levels-again'>[] {
  if (!again) return [];
  if (!isChange(other)) return [{ type: 'levels-again', levels: [...requireAgain(state).levels] }];
  throw new WorkbenchError('input-invalid', 'Levels are measured again as they were', {
    where: state.runId,
    remedy: 'Give --again without --set and --from.',
  });
}

/**
 * Ends what a run waits for that is worked on here: it may be there without a look having found it. Throws run-busy where
 * it waits for nothing, or something else is asked of it.
 */
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

/** What continuing it would do, as a sentence and a list. Pure. */
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
      remedy: `Read them. Then run "triton-workbench resume ${runId} --trust", or press "Trust and continue…" in the window.`,
    },
  );
}

/**
 * Throws input-invalid for an imported run, and not-trusted for one from elsewhere.
 * @param contentOf what a run from elsewhere would execute and reach
 */
export async function requireOwnWork(
  { runId, source, origin }: RunState,
  contentOf: () => Promise<RunContent>,
): Promise<void> {
  if (source.kind === 'imported') throw notRunnable(runId);
  // Where its load goes, and what it reads, somebody agreed to in the home that created it.
  if (source.kind === 'server' && origin !== 'own') {
    throw new WorkbenchError(
      'input-invalid',
      'A run from elsewhere that measured a running Triton cannot be continued',
      { where: runId, remedy: 'Measure that server from here.' },
    );
  }
  if (origin === 'foreign') throw notTrusted(await contentOf());
}

/** Throws input-invalid where the content is not the one that somebody has seen. */
export function requireContent({ dir, hash }: RunContent, seen: string): void {
  if (hash === seen) return;
  throw new WorkbenchError('input-invalid', 'The files of the run changed before you confirmed', {
    where: dir,
    remedy: 'Check the run again before you trust it.',
  });
}
