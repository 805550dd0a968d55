import type { Baseline } from '../contract/baseline';
import { baselineGpu, baselinesOf, defaultBaseline } from '../contract/baseline';
import { baselineSeries } from '../contract/baseline-points';
import { formatCount, formatMs, formatRate, formatShare } from '../contract/numbers';
import { levelsOf } from '../contract/points';
import type { PublishedResults } from '../contract/published';
import type { Scenario } from '../contract/run-events';
import type { RunState } from '../contract/run-state';
import type { ReportPublished, ReportPublishedRow } from './report';

const titles: Readonly<Record<Scenario, string>> = { offline: 'Offline scenario', online: 'Online scenario' };

/** What the run is held against; null where nothing was chosen, or nothing is published of its format and precision. */
export function reportBaseline(state: RunState, published: PublishedResults | null): Baseline | null {
  const { spec, environment } = state;
  const names = environment.gpus.map(({ name }) => name);
  return defaultBaseline(baselinesOf(published, spec), spec, names);
}

/** Every published level, with the run's own of the same batch size and concurrency. */
function rowsOf(state: RunState, scenario: Scenario, baseline: Baseline): readonly ReportPublishedRow[] {
  const measured = levelsOf(state, scenario);
  return (baselineSeries(baseline, scenario, state.spec)?.points ?? []).map((point) => {
    const own = measured.find(
      (level) => level.batchSize === point.batchSize && level.concurrency === point.concurrency,
    )?.point;
    // Of another model than the published one a share would say nothing.
    const ratio =
      own === undefined || own === null || state.spec.model.profile !== 'full'
        ? null
        : own.inferencesPerSecond / point.inferencesPerSecond;
    return {
      batchSize: formatCount(point.batchSize),
      concurrency: formatCount(point.concurrency),
      published: formatRate(point.inferencesPerSecond),
      publishedP99: formatMs(point.p99Ms === null ? null : point.p99Ms * 1000),
      measured: formatRate(own?.inferencesPerSecond),
      measuredP99: formatMs(own?.p99Us),
      ratio: formatShare(ratio),
    };
  });
}

/** The section of published figures; null where no GPU was chosen and none of the published ones measured. */
export function publishedReport(state: RunState, published: PublishedResults | null): ReportPublished | null {
  if (published === null) return null;
  const { spec, environment } = state;
  const gpu = baselineGpu(
    spec,
    environment.gpus.map(({ name }) => name),
  );
  const all = baselinesOf(published, spec);
  if (gpu === null || all.length === 0) return null;
  const { title, address, date, note = null } = published.source;
  const source = `${title} (${address}, ${date})`;
  const baseline = reportBaseline(state, published);
  if (baseline === null) {
    const others = all.filter((other) => other.gpu === gpu).map(({ title: name }) => name);
    const there = others.length === 0 ? 'nothing' : others.join('; ');
    const lead = `Nothing is published of ${gpu} with ${spec.format} ${spec.precision}; published of it is: ${there}.`;
    return { source, note, label: null, lead, scenarios: [] };
  }
  const size =
    spec.model.profile === 'full'
      ? ''
      : ' This run measured the small model of the profile quick, not the published one, so that no share is given.';
  return {
    source,
    note,
    label: baseline.label,
    lead: `Published of ${baseline.title}; not measured by this run. The columns “measured” are this run's own, on the hardware under Environment.${size}`,
    scenarios: (['offline', 'online'] as const)
      .map((id) => ({ id, title: titles[id], rows: rowsOf(state, id, baseline) }))
      .filter(({ rows }) => rows.length > 0),
  };
}
