import type { ServerLoad } from '../core';

type Told = Pick<ServerLoad, 'tools' | 'settings'>;

/** What comes before the first window of a level. */
function warmupText({ tools, settings }: Told): string {
  if (!tools.includes('native')) return 'no warm-up (perf_analyzer has none)';
  const text = settings.warmupMs === 0 ? 'no warm-up' : `warm-up ${settings.warmupMs} ms, discarded`;
  return tools.includes('perf_analyzer') ? `${text} (perf_analyzer has none)` : text;
}

/** How each level is measured, in one line. */
export function planText(plan: Told): string {
  const { measurementMode, measurementIntervalMs, measurementRequestCount } = plan.settings;
  const windows =
    measurementMode === 'count_windows'
      ? `windows of ${measurementRequestCount} requests, at least one second each`
      : `windows of ${measurementIntervalMs} ms`;
  return `each level: ${warmupText(plan)}, then ${windows}`;
}
