import {
  longestMarkerText,
  longestName,
  longestReason,
  modelKey,
  type ModelSample,
  type MonitorMarker,
  type MonitorSample,
  mostGpus,
  mostModels,
  mostOthers,
  mostReasonCharacters,
  mostSampleMarkers,
} from '../contract/monitor/monitor';
import { formatCount } from '../contract/numbers';

type Named = Pick<ModelSample, 'name' | 'version'>;

/** Its first words; ends with "…" where it was longer. Cut again it stays as it is. */
const cutTo = (text: string, most: number): string =>
  text.length <= most + 1 ? text : `${text.slice(0, most)}…`;

const cutReason = (text: string | null): string | null => (text === null ? null : cutTo(text, longestReason));

/** First words of a reason that there is no room for. */
const shortReason = 100;

/** Thousands of models each may say at length why they are not ready: the first at length, the others in short. */
function withBoundedReasons(models: readonly ModelSample[]): ModelSample[] {
  let left = mostReasonCharacters;
  return models.map((model) => {
    if (model.reason === null) return model;
    const reason = cutTo(model.reason, left > 0 ? longestReason : shortReason);
    left -= reason.length;
    return { ...model, reason };
  });
}

/**
 * The first that a sample has room for, those that serve before those that do not, and how many it leaves out. One that a
 * server lists twice is there once: rows of the window go by it. Pure.
 */
export function boundedModels<Model extends Named>(
  models: readonly Model[],
  serves: (model: Model) => boolean,
): { readonly kept: readonly Model[]; readonly more: number } {
  const byKey = new Map<string, Model>();
  let long = 0;
  for (const model of models) {
    if (model.name.length + model.version.length > longestName) long += 1;
    else if (!byKey.has(modelKey(model))) byKey.set(modelKey(model), model);
  }
  const named = [...byKey.values()];
  if (named.length <= mostModels) return { kept: named, more: long };
  const kept = [...named.filter(serves), ...named.filter((model) => !serves(model))].slice(0, mostModels);
  return { kept, more: long + named.length - kept.length };
}

/** As many as a sample has room for, with the number of the others in place of the last one. Pure. */
export function boundedMarkers(markers: readonly MonitorMarker[]): readonly MonitorMarker[] {
  const cut = markers
    .slice(0, mostSampleMarkers)
    .map((marker) => ({ ...marker, text: cutTo(marker.text, longestMarkerText) }));
  const last = markers[mostSampleMarkers - 1];
  if (markers.length <= mostSampleMarkers || last === undefined) return cut;
  const others = formatCount(markers.length - mostSampleMarkers + 1);
  return [...cut.slice(0, -1), { ...last, text: `and ${others} more events in the same second` }];
}

/** A sample within the limits, whatever a server or the file of a recording has. Pure. */
export function boundedSample(sample: MonitorSample): MonitorSample {
  const { kept, more } = boundedModels(sample.models, ({ state }) => state !== 'unavailable');
  const named = sample.gpus.filter(({ uuid }) => uuid.length <= longestName);
  const gpus = named.slice(0, mostGpus);
  const markers = boundedMarkers(sample.markers);
  const moreModels = more + (sample.more?.models ?? 0);
  const moreGpus = sample.gpus.length - gpus.length + (sample.more?.gpus ?? 0);
  const counted = moreModels + moreGpus === 0 ? {} : { more: { models: moreModels, gpus: moreGpus } };
  const { server } = sample;
  const other = Object.entries(sample.other).filter(([key]) => key.length <= longestMarkerText);
  return {
    ...sample,
    server: {
      ...server,
      reason: cutReason(server.reason),
      version: server.version === null ? null : cutTo(server.version, longestName),
    },
    hole: cutReason(sample.hole),
    metricsProblem: cutReason(sample.metricsProblem),
    models: withBoundedReasons(kept),
    gpus: [...gpus],
    other: Object.fromEntries(other.slice(0, mostOthers)),
    markers: [...markers],
    ...counted,
  };
}
