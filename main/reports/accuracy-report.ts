import type { Environment, OutputComparison } from '../contract/measured/results';
import { formatBytes, formatCount, formatMetric, formatScale, missing } from '../contract/numbers';
import { importKindText, type ImportSource } from '../contract/run/imported';
import type { RunState } from '../contract/run/run-state';
import { allowanceText, metricTitle, type MetricTitles, thresholdSign } from '../contract/words';
import type { NamedText, ReportAccuracy } from './report';

const exceptFor = (share = 0): string => (share === 0 ? '' : `, all but ${formatScale(share * 100)} %`);

function usedOf(output: OutputComparison): string {
  const used = allowanceText(output);
  return used === null ? '' : `; worst value uses ${used}`;
}

export function accuracyReport(state: RunState, titles: MetricTitles): ReportAccuracy | null {
  const result = state.accuracy?.result;
  if (result === undefined) return null;
  return {
    passed: result.passed,
    sampleCount: formatCount(result.sampleCount),
    referenceDevice: result.referenceDevice ?? null,
    outputs: result.outputs.map((output) => ({
      output: output.output,
      maxAbsDiff: formatScale(output.maxAbsDiff),
      maxRelDiff: formatScale(output.maxRelDiff),
      tolerance: `${formatScale(output.atol)} + ${formatScale(output.rtol)} · |reference|${exceptFor(output.maxMismatch)}${usedOf(output)}`,
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

const unknown = 'not known: not measured here';

/** What is known of where the figures of a file come from. */
export function importReport(source: ImportSource, environment: Environment): readonly NamedText[] {
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

/** Hardware and software, without the Python packages. */
export function environmentReport(environment: Environment): readonly NamedText[] {
  const { gpus } = environment;
  return [
    { name: 'Engine', value: environment.engine },
    { name: 'Triton', value: environment.tritonVersion ?? missing },
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

export function packagesReport(environment: Environment): readonly NamedText[] {
  return Object.entries(environment.packages)
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
