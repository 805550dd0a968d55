import type { PublishedResults } from '../contract/published';
import type { RunState } from '../contract/run-state';
import { budgetText } from '../contract/answer-text';
import { importKindText } from '../contract/imported';
import type { Format } from '../contract/run-spec';
import { accuracyReport } from './accuracy-report';
import { environmentReport, importReport, packagesReport } from './environment-report';
import { keyFigures } from './key-figures';
import type { MetricTitles } from './metric-title';
import { importedNotes, reportNotes } from './notes';
import { formatTime } from './number-format';
import { statusOf, verificationOf } from './outcome';
import { reportParameters } from './parameters';
import { publishedReport, reportBaseline } from './published-report';
import { reportProblems } from './problems';
import type { Report } from './report';
import { scenarioReport } from './scenario-report';
import { reportCommands, reportSteps } from './steps';
import { verdictOf } from './verdict';

export interface ReportContext {
  /** ISO 8601. */
  readonly generatedAt: string;
  /** Title of the preset; its id without. */
  readonly modelTitle?: string | undefined;
  /** Metric name to title ("top1" to "top-1"); the name itself without. */
  readonly metricTitles?: MetricTitles | undefined;
  /** What was published of the preset. */
  readonly published?: PublishedResults | null | undefined;
}

const formatTitles: Readonly<Record<Format, string>> = {
  onnx: 'ONNX',
  'ts-trace': 'TorchScript trace',
  'ts-script': 'TorchScript script',
  'tf-savedmodel': 'TensorFlow SavedModel',
  trt: 'TensorRT plan',
};

/** The readable form of a run at any state: finished, failed, cancelled, or with nothing measured. Pure. */
export function toReport(state: RunState, context: ReportContext): Report {
  const { spec, environment, imported } = state;
  const titles = context.metricTitles ?? {};
  const { published = null } = context;
  const baseline = reportBaseline(state, published);
  const device = environment.gpus[0]?.name ?? environment.cpu;
  return {
    runId: state.runId,
    title:
      imported === null
        ? `${context.modelTitle ?? spec.model.preset} · ${formatTitles[spec.format]} ${spec.precision}`
        : `${spec.model.preset} · imported`,
    subtitle:
      imported === null
        ? `Profile ${spec.model.profile} · ${environment.tritonVersion === null ? environment.engine : `Triton ${environment.tritonVersion}`} · ${device}`
        : `Not measured here · ${importKindText[imported.kind]} · ${imported.fileName}`,
    generatedAt: context.generatedAt,
    times: `Run of ${formatTime(state.createdAt)}, report of ${formatTime(context.generatedAt)}`,
    workbenchVersion: environment.workbenchVersion,
    status: statusOf(state),
    verification: verificationOf(state),
    verdict: verdictOf(state, titles),
    budget: budgetText(state),
    figures: keyFigures(state, titles),
    problems: reportProblems(state),
    parameters: imported === null ? reportParameters(spec) : [],
    environment: imported === null ? environmentReport(environment) : importReport(imported, environment),
    packages: packagesReport(environment),
    steps: reportSteps(state),
    commands: reportCommands(state),
    accuracy: accuracyReport(state, titles),
    scenarios: [
      ...(imported === null ? [scenarioReport(state, 'offline', baseline)] : []),
      scenarioReport(state, 'online', baseline),
    ],
    published: publishedReport(state, published),
    notes: imported === null ? reportNotes(spec) : importedNotes(),
  };
}
