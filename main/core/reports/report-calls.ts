import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Handlers } from '../../contract/api';
import { invalidInput, toWire, type WireError, WorkbenchError } from '../../contract/errors';
import type { ImportRequest } from '../../contract/run/imported';
import { runNameSchema } from '../../contract/run/run-content';
import type { ReportFile } from '../../contract/run/run-events';
import { modelOf, specOf } from '../../contract/run/run-source';
import type { RunState } from '../../contract/run/run-state';
import type { ComparisonRequest } from '../../contract/run/saved-comparison';
import type { ReportChange } from '../../contract/settings/report-settings';
import { present } from '../../contract/trees';
import { type Comparison, comparisonOf } from '../../domain/comparison/comparison';
import type { ReadCapture } from '../../perf/import/read-capture';
import { reportContext } from '../../pipeline/steps/report.step';
import { readLogo } from '../../reports/report-settings';
import type { WrittenStudy } from '../../reports/study-files';
import { formatTime, type ReportContext } from '../../reports/to-report';
import { writeReports } from '../../reports/write-reports';
import { createComparisons } from '../../store/comparisons';
import { acquireLease } from '../../store/file-lease';
import { importRun } from '../../store/import-run';
import { JournalWriter } from '../../store/journal';
import { reportNames, requireReport } from '../../store/run-files';
import { requirePlainResults } from '../../store/run-folder';
import type { MatrixReportRequest, TrustedCalls } from '../core-interface';
import type { CoreParts } from '../core-parts';
import { createReportPlaces } from './report-places';

function createComparisonCalls(
  parts: CoreParts,
): Pick<Handlers, Extract<keyof Handlers, `comparisons.${string}`>> &
  Pick<TrustedCalls, 'comparisons.write'> {
  const { store, layout, presets, options, now } = parts;
  const places = createReportPlaces(parts);
  const saved = createComparisons(layout.comparisons);
  const compared = async ({ runIds, p99BudgetMs, title }: ComparisonRequest): Promise<Comparison> => {
    const states = [];
    for (const runId of new Set(runIds)) states.push((await store.load(runId)).state);
    const known = presets();
    const titleOf = (preset: string): string => known.get(preset)?.preset.title ?? preset;
    return comparisonOf(states, { title, budgetMs: p99BudgetMs, titleOf, when: formatTime });
  };
  // Loaded on demand: the charts' library is a large part of the core.
  const writer = () => import('../../reports/comparison/write-comparison');
  const generatedAt = () => now().toISOString();
  return {
    'comparisons.write': async ({ request, kind, path }) => {
      const { writeComparison } = await writer();
      const { printPdf } = options;
      const comparison = await compared(request);
      const settings = await places.read({ kind: 'comparison', runIds: request.runIds });
      await writeComparison({ comparison, kind, path, generatedAt: generatedAt(), settings, printPdf });
    },
    'comparisons.list': () => saved.list(),
    'comparisons.save': (comparison) => saved.save(comparison),
    'comparisons.remove': ({ name }) => saved.remove(name),
    'comparisons.text': async (request) => {
      const { comparisonMarkdown } = await import('../../reports/comparison/comparison-text');
      return { text: comparisonMarkdown(await compared(request)) };
    },
  };
}

async function contextOf({ presetOf, options, now }: CoreParts, state: RunState): Promise<ReportContext> {
  const spec = specOf(state);
  if (spec === null)
    return { generatedAt: now().toISOString(), homeFolder: homedir(), modelTitle: modelOf(state) };
  const { resources } = options;
  const { gpus } = state.environment;
  return reportContext(await presetOf(spec.model), spec, { resources, now: now(), gpus });
}

async function writeMatrix(
  parts: CoreParts,
  { name, results, out }: MatrixReportRequest,
): Promise<WrittenStudy> {
  const { layout, options, now } = parts;
  const settings = await createReportPlaces(parts).read({ kind: 'study', name });
  const { writeMatrixReport } = await import('../../reports/matrix-report');
  const dir = out === undefined ? join(layout.matrices, name) : resolve(out);
  const { printPdf } = options;
  return writeMatrixReport({ name, results, dir, generatedAt: now().toISOString(), settings, printPdf });
}

type WriteAgain = (
  runId: string,
  change?: ReportChange,
  onNoPrinter?: (error: WireError) => void,
) => Promise<readonly ReportFile[]>;

/** That of the request, and of several runs the configuration behind it; undefined: none. */
function nameOf({ name }: ImportRequest, { configuration }: ReadCapture, count: number): string | undefined {
  if (configuration === null || (count === 1 && name !== undefined)) return name;
  const whole = [name, configuration].filter((part) => part !== undefined).join(' ');
  return runNameSchema.safeParse(whole).success ? whole : undefined;
}

/** What is said of all of them. */
const sharedNotes = ([first, ...others]: readonly ReadCapture[]): readonly string[] =>
  (first?.source.notes ?? []).filter((note) => others.every(({ source }) => source.notes.includes(note)));

/** The figures stay even if the reports cannot be written; those can be written later. Several runs have none at first. */
const fileImporter =
  ({ reading, store, options, emit }: CoreParts, writeAgain: WriteAgain): Handlers['runs.import'] =>
  async (request) => {
    const captures = await reading.readers.capture(request);
    const runs: { readonly runId: string; readonly configuration: string | null }[] = [];
    for (const capture of captures) {
      const runId = await importRun(store, capture, options.version);
      const name = nameOf(request, capture, captures.length);
      if (name !== undefined) await store.append(runId, { type: 'run-name', name });
      runs.push({ runId, configuration: capture.configuration });
    }
    emit({ type: 'runs-changed' });
    const [first, ...others] = runs;
    if (first === undefined) throw invalidInput(request.path, 'The file has no level');
    const { runId } = first;
    const notes = [...sharedNotes(captures)];
    if (others.length > 0) return { runId, runs, notes };
    try {
      await writeAgain(runId, {}, ({ message }) => {
        notes.push(`The report has no PDF: ${message}`);
      });
    } catch (error) {
      notes.push(`The report could not be written: ${toWire(error).message}`);
    }
    return { runId, runs, notes };
  };

export function createReportCalls(
  parts: CoreParts,
): Pick<Handlers, 'runs.import' | 'reports.change' | 'reports.checkLogo' | 'reports.settings'> &
  Pick<TrustedCalls, 'runs.reportPath' | 'runs.writeReports' | 'matrix.write'> &
  ReturnType<typeof createComparisonCalls> {
  const { store, emit } = parts;
  const places = createReportPlaces(parts);
  const { printPdf } = parts.options;
  const writeAgain: WriteAgain = async (runId, change = {}, onNoPrinter) => {
    const folder = await store.folderOf(runId);
    const release = await acquireLease(folder.dir);
    try {
      await requirePlainResults(folder);
      // Read under the lease, so that the report has what other processes wrote.
      const loaded = (await store.load(runId)).state;
      // The lease excludes other writers.
      const state: RunState =
        loaded.status === 'running' ? { ...loaded, status: 'interrupted', waitsFor: null } : loaded;
      const files = await writeReports({
        state,
        context: {
          ...(await contextOf(parts, state)),
          settings: await places.change({ kind: 'run', runId }, change),
        },
        dir: folder.results,
        signal: new AbortController().signal,
        printPdf,
        ...present({ onNoPrinter }),
      });
      const { writer } = await JournalWriter.open(folder.journal);
      await writer.append({ type: 'report', files: reportNames(files) });
      await writer.close();
      emit({ type: 'runs-changed' });
      return files;
    } finally {
      await release();
    }
  };
  return {
    ...createComparisonCalls(parts),
    'runs.import': fileImporter(parts, writeAgain),
    'reports.change': async ({ subject, change }) => {
      if (subject.kind === 'run') await writeAgain(subject.runId, change);
      else await places.change(subject, change);
      return null;
    },
    'reports.settings': async (subject) => {
      const settings = await places.read(subject);
      return { ...settings, logo: settings.logo?.name ?? null };
    },
    'reports.checkLogo': async ({ path }) => {
      await readLogo(path);
      return null;
    },
    'matrix.write': (request) => writeMatrix(parts, request),
    'runs.writeReports': ({ runId, change }) => writeAgain(runId, change),
    'runs.reportPath': async ({ runId, kind }) => {
      const { state, folder } = await store.load(runId);
      const { reports, reportedBudgetMs, p99BudgetMs, reportedName, name, source } = state;
      const isOther = reportedBudgetMs !== p99BudgetMs || reportedName !== name;
      // A measured server has no step that writes reports.
      const isStale = reports.length > 0 ? isOther : source.kind === 'server';
      const files = isStale ? await writeAgain(runId) : state.reports;
      const file = files.find((report) => report.kind === kind);
      if (file === undefined) throw new WorkbenchError('report-failed', `This run has no ${kind} report yet`);
      return requireReport(folder, file);
    },
  };
}
