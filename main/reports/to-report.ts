import { textAt } from '../contract/fields/parameter-text';
import type { PublishedResults } from '../contract/measured/baseline';
import { batchesText, comparedAtText } from '../contract/measured/compared-batches';
import type { Environment, OutputComparison } from '../contract/measured/results';
import { formatBytes, formatCount, formatMetric, formatScale, missing } from '../contract/numbers';
import { importKindText, type ImportSource } from '../contract/run/imported';
import { formatFacts } from '../contract/run/model-formats';
import { type Scenario, scenarios } from '../contract/run/run-events';
import { referenceText, statusOf, verificationOf } from '../contract/run/run-outcome';
import { bySource, modelOf, performanceOf } from '../contract/run/run-source';
import type { RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import { measuredServer, scenarioOfLevels, servedModels } from '../contract/run/server-load';
import { changesText } from '../contract/run/spec-tools';
import { allowanceText, metricTitle, type MetricTitles, thresholdSign } from '../contract/words';
import { answerOf } from '../domain/measured/answer';
import { coldStartOf } from '../domain/measured/cold/cold-start';
import { trialOf } from '../domain/measured/cold/warm-up-trial';
import { keyFigures } from '../domain/measured/key-figures';
import { limitsText } from '../domain/measured/limits/limits';
import { slowLevels } from '../domain/measured/slow/slow-text';
import { verdictOf } from '../domain/measured/verdict';
import { modelRecordRows } from '../domain/run/model-record-text';
import { serverTitle } from '../domain/run/server-title';
import { loadParameters, reportParameters } from './parameters';
import { importedNotes, reportCommands, reportNotes, reportProblems, reportSteps } from './problems';
import type { NamedText, Report, ReportAccuracy, ReportColdStart } from './report';
import { defaultReportSettings, type StoredReportSettings } from './report-settings';
import { publishedReport, reportBaseline, scenarioReport } from './scenario-report';
import { withShortPaths } from './short-paths';
import { reportSummary } from './summary';

const exceptFor = (share = 0): string => (share === 0 ? '' : `, all but ${formatScale(share * 100)} %`);

function usedOf(output: OutputComparison): string {
  const used = allowanceText(output);
  return used === null ? '' : `; worst value uses ${used}`;
}

function accuracyReport(state: RunState, titles: MetricTitles): ReportAccuracy | null {
  const result = state.accuracy?.result;
  if (result === undefined) return null;
  return {
    passed: result.passed,
    sampleCount: formatCount(result.sampleCount),
    comparedAt: comparedAtText(result.batches),
    batches: (result.batches ?? []).map((batch) => ({
      requests: batchesText([batch]),
      count: formatCount(batch.requestCount),
      maxAbsDiff: formatScale(batch.maxAbsDiff),
      passed: batch.passed,
    })),
    lead:
      result.golden === undefined
        ? `The same ${formatCount(result.sampleCount)} samples through the framework and through Triton.`
        : `The ${formatCount(result.sampleCount)} samples of ${referenceText(result)} through Triton.`,
    referenceDevice: result.referenceDevice ?? null,
    outputs: result.outputs.map((output) => ({
      output: output.output,
      maxAbsDiff: formatScale(output.maxAbsDiff),
      maxRelDiff: formatScale(output.maxRelDiff),
      tolerance:
        output.rule ??
        `${formatScale(output.atol)} + ${formatScale(output.rtol)} · |reference|${exceptFor(output.maxMismatch)}${usedOf(output)}`,
      allowanceUsed: allowanceText(output),
      nanCount: formatCount(output.nanCount),
      infCount: formatCount(output.infCount),
      worstSample: output.worstSample ?? missing,
      sampleCount: formatCount(output.sampleCount),
      otherLengths: output.otherLengths === undefined ? null : formatCount(output.otherLengths),
      passed: output.passed,
      vacuous: output.vacuous,
    })),
    metrics: result.metrics.map(({ name, framework, triton, threshold, better, passed }) => ({
      name: metricTitle(titles, name),
      framework: formatMetric(framework),
      triton: formatMetric(triton),
      delta: framework === null || triton === null ? missing : formatScale(triton - framework),
      threshold: threshold === null ? missing : `${thresholdSign({ better })} ${formatMetric(threshold)}`,
      passed,
    })),
    reasons: result.reasons,
    warnings: result.warnings,
  };
}

/** Also of a warm-up that was tried where the start was not recorded. */
function coldReport(state: RunState): ReportColdStart | null {
  const [cold, trial] = [coldStartOf(state), trialOf(state)];
  if (cold === null && trial === null) return null;
  const { lines = [], rows = [], columns = [] } = cold ?? {};
  return { lines, rows, columns, trial };
}

const unknown = 'not known: not measured here';

function importReport(source: ImportSource, environment: Environment): readonly NamedText[] {
  return [
    { name: 'Imported from', value: source.fileName },
    { name: 'Tool', value: importKindText[source.kind] },
    { name: 'Size', value: `${formatCount(source.sizeBytes)} bytes` },
    { name: 'SHA-256', value: source.sha256 },
    ...['Triton', 'Image', 'Operating system', 'CPU', 'Memory'].map((name) => ({ name, value: unknown })),
    ...(environment.gpus.length === 0
      ? [{ name: 'GPU', value: unknown }]
      : environment.gpus.map(({ uuid, memoryBytes }) => ({
          name: 'GPU',
          value: `${uuid}, ${memoryBytes === 0 ? 'memory not known' : formatBytes(memoryBytes)}`,
        }))),
    { name: 'Imported with workbench', value: environment.workbenchVersion },
  ];
}

/** Without Python packages. */
function environmentReport(environment: Environment): readonly NamedText[] {
  const { gpus } = environment;
  return [
    { name: 'Engine', value: textAt('engine.kind', environment.engine) },
    environment.server === undefined
      ? { name: 'Triton', value: environment.tritonVersion ?? missing }
      : { name: 'Server', value: environment.server },
    { name: 'Image', value: environment.image ?? 'none (no container)' },
    { name: 'Operating system', value: environment.os },
    { name: 'CPU', value: `${environment.cpu}, ${formatCount(environment.cpuCount)} logical cores` },
    { name: 'Memory', value: formatBytes(environment.memoryBytes) },
    ...(gpus.length === 0 ? [{ name: 'GPU', value: 'none' }] : []),
    ...gpus.map((gpu, index) => ({
      name: gpus.length === 1 ? 'GPU' : `GPU ${index}`,
      value: `${gpu.name}, ${formatBytes(gpu.memoryBytes)}, driver ${gpu.driver}, ${gpu.uuid}`,
    })),
    { name: 'Workbench', value: environment.workbenchVersion },
  ];
}

/** "2025-11-21 08:17 UTC"; other text stays. */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export interface ReportContext {
  /** ISO 8601. */
  readonly generatedAt: string;
  /** Preset title; defaults to the id. */
  readonly modelTitle?: string | undefined;
  /** "top1" → "top-1"; defaults to the name. */
  readonly metricTitles?: MetricTitles | undefined;
  /** Preset defaults for format, precision and engine. */
  readonly defaults?: RunSpec | null | undefined;
  readonly published?: PublishedResults | null | undefined;
  /** Logo, title, notes and sections; absent: defaults. */
  readonly settings?: StoredReportSettings | undefined;
  readonly differences?: readonly string[] | undefined;
  /** Of the person whose paths are shortened; absent: only the usual places are known. */
  readonly homeFolder?: string | undefined;
}

/** "Triton 2.51.0", or the engine until it responds. */
const tritonText = (environment: RunState['environment']): string =>
  serverTitle(environment) ?? environment.engine;

/** Imported figures and measured servers have one scenario. */
const shownScenarios = ({ source, scenarios: measured }: RunState): readonly Scenario[] =>
  bySource<readonly Scenario[]>(source, {
    deployed: () => scenarios,
    server: ({ levels }) => [scenarioOfLevels(levels)],
    imported: () => [measured.offline.points.length > 0 ? 'offline' : 'online'],
  });

function titlesOf(state: RunState, modelTitle: string): Pick<Report, 'title' | 'subtitle'> {
  const { source, environment } = state;
  const gpuNames = [...new Set(environment.gpus.map(({ name }) => name))].join(', ');
  const device = gpuNames === '' ? environment.cpu : gpuNames;
  return bySource(source, {
    imported: ({ kind, fileName }, model) => ({
      title: `${model} · imported`,
      subtitle: `Not measured here · ${importKindText[kind]} · ${fileName}`,
    }),
    server: (load) => ({
      title: `${servedModels(load)} · running Triton`,
      subtitle: `${measuredServer(load)} · ${tritonText(environment)} · client on ${device}`,
    }),
    deployed: ({ model, format, precision }) => ({
      title: `${modelTitle} · ${formatFacts[format].title}${precision === 'as-is' ? ', as it is' : ` ${textAt('precision', precision)}`}`,
      subtitle: `Profile ${model.profile} · ${tritonText(environment)} · ${device}`,
    }),
  });
}

function namedTitles(state: RunState, modelTitle: string): Pick<Report, 'title' | 'subtitle'> {
  const { title, subtitle } = titlesOf(state, modelTitle);
  return { title: state.name === null ? title : `${state.name} · ${title}`, subtitle };
}

/** Works for every state: finished, failed, cancelled, empty. */
export function toReport(state: RunState, context: ReportContext): Report {
  const { source, environment } = state;
  const performance = performanceOf(state);
  const titles = context.metricTitles ?? {};
  const { published = null, settings = defaultReportSettings } = context;
  const baseline = reportBaseline(state, published);
  const modelTitle = context.modelTitle ?? modelOf(state);
  const shown = shownScenarios(state).map((scenario) => scenarioReport(state, scenario, baseline));
  const { title, subtitle } = namedTitles(state, modelTitle);
  const report: Report = {
    runId: state.runId,
    title: settings.title === '' ? title : settings.title,
    subtitle: settings.title === '' ? subtitle : `${title} · ${subtitle}`,
    logo: settings.logo,
    customer: settings.customer,
    author: settings.author,
    remarks: settings.notes,
    without: settings.without,
    generatedAt: context.generatedAt,
    times: `Run of ${formatTime(state.createdAt)}, report of ${formatTime(context.generatedAt)}`,
    workbenchVersion: environment.workbenchVersion,
    status: statusOf(state),
    verification: verificationOf(state),
    verdict: verdictOf(state, titles),
    isSure: answerOf(state)?.isSure ?? false,
    figures: keyFigures(state, titles),
    summary: reportSummary(state, { titles, title: modelTitle }),
    limits: limitsText(state),
    slow: slowLevels(state),
    problems: reportProblems(state),
    parameters: bySource(source, {
      deployed: (spec) => reportParameters(spec, context.defaults ?? null, state.gateOverridden),
      server: loadParameters,
      imported: () => [],
    }),
    changes: state.specChanges.map(({ at, changed }) => ({
      name: formatTime(at),
      value: changesText(changed),
    })),
    environment:
      source.kind === 'imported' ? importReport(source.file, environment) : environmentReport(environment),
    packages: Object.entries(environment.packages)
      .map(([name, value]) => ({ name, value }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    record: modelRecordRows(state.modelRecord),
    steps: reportSteps(state),
    commands: reportCommands(state),
    accuracy: accuracyReport(state, titles),
    scenarios: shown,
    coldStart: coldReport(state),
    published: publishedReport(state, published, context.differences),
    notes: performance === null ? importedNotes() : reportNotes(performance),
  };
  const { verdict, summary, problems, parameters, changes, steps, commands } = report;
  const withPaths = { verdict, summary, problems, parameters, changes, steps, commands };
  return { ...report, ...withShortPaths(withPaths, context.homeFolder ?? '') };
}
