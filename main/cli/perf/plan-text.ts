import { stagesOf, stagesText } from '../../contract/load/stages';
import { formatCount } from '../../contract/numbers';
import { gatewayUrl, type ServerLoad } from '../../contract/run/server-load';

type PlannedLoad = Pick<ServerLoad, 'tools' | 'levels'> &
  Partial<Pick<ServerLoad, 'via' | 'protocol'>> & {
    readonly settings: Pick<
      ServerLoad['settings'],
      | 'measurementMode'
      | 'measurementIntervalMs'
      | 'measurementRequestCount'
      | 'requestCount'
      | 'replay'
      | 'stages'
      | 'warmupMs'
      | 'warmupRequestCount'
    >;
  };

const requestsText = (count: number) => `${count} ${count === 1 ? 'request' : 'requests'}`;

function warmupText({ tools, settings }: PlannedLoad): string {
  const { warmupMs, warmupRequestCount } = settings;
  if (warmupRequestCount > 0) return `warm-up ${requestsText(warmupRequestCount)}, discarded`;
  if (!tools.includes('native')) return 'no warm-up (perf_analyzer has none)';
  if (warmupMs === 0) return 'no warm-up';
  const text = `warm-up ${formatCount(warmupMs)} ms, discarded`;
  return tools.includes('perf_analyzer') ? `${text} (perf_analyzer has none)` : text;
}

function windowsText({ settings, levels, via, protocol = 'http' }: PlannedLoad): string {
  const gateway = gatewayUrl({ via, protocol });
  if (gateway !== null)
    return `measurements of ${formatCount(settings.measurementIntervalMs)} ms in turns, directly and through ${gateway}`;
  if (settings.replay !== undefined) return 'the requests of the trace';
  if (settings.stages !== undefined) {
    const [only, ...others] = levels.flatMap(({ requestRate }) => requestRate ?? []);
    // Of several promised rates the stages differ.
    return others.length > 0 ? 'the stages' : stagesText(stagesOf(settings.stages, only ?? 0));
  }
  const { measurementMode, measurementIntervalMs, measurementRequestCount, requestCount } = settings;
  if (requestCount > 0) return `exactly ${requestsText(requestCount)}`;
  return measurementMode === 'count_windows'
    ? `windows of ${measurementRequestCount} requests, at least one second each`
    : `windows of ${formatCount(measurementIntervalMs)} ms`;
}

/** How each level is measured, on one line. */
export const planText = (plan: PlannedLoad): string =>
  `each level: ${warmupText(plan)}, then ${windowsText(plan)}`;
