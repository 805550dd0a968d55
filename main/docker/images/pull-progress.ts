import type { EngineEvent } from './engine-stream';
import type { WorkProgress } from './known-images';

/** Phases of a layer, which never go back, whatever the order of events. */
const phases = ['known', 'downloading', 'downloaded', 'extracting', 'done'] as const;
type Phase = (typeof phases)[number];

interface Layer {
  readonly phase: Phase;
  /** Present before the pull: no weight. */
  readonly existed: boolean;
  readonly downloadedBytes: number;
  /** null until reported. */
  readonly totalBytes: number | null;
  /** 0 to 1. */
  readonly extracted: number;
}

export interface PullState {
  readonly layers: ReadonlyMap<string, Layer>;
  /** Maximum so far; null if unknown. */
  readonly fraction: number | null;
  /** "sha256:…" of the manifest, when reported. */
  readonly digest: string | null;
}

/** Estimated share of the download in a layer's work; only affects the bar. */
const downloadShare = 0.75;
/** Maximum until the response ends. */
const almost = 0.99;

const phaseOf: Readonly<Record<string, Phase>> = {
  'Pulling fs layer': 'known',
  Waiting: 'known',
  Downloading: 'downloading',
  'Verifying Checksum': 'downloaded',
  'Download complete': 'downloaded',
  Extracting: 'extracting',
  'Pull complete': 'done',
  'Already exists': 'done',
};

export const emptyPullState: PullState = { layers: new Map(), fraction: null, digest: null };

const unknownLayer: Layer = {
  phase: 'known',
  existed: false,
  downloadedBytes: 0,
  totalBytes: null,
  extracted: 0,
};

function mergeLayer(old: Layer, status: string, phase: Phase, event: EngineEvent): Layer {
  const { current, total } = event.progressDetail ?? {};
  const downloading = phase === 'downloading';
  const newer = phases.indexOf(phase) > phases.indexOf(old.phase) ? phase : old.phase;
  // With containerd's image store "Extracting" counts seconds without a total.
  const extracted =
    phase === 'extracting' && current !== undefined && total !== undefined && total > 0
      ? Math.min(1, current / total)
      : 0;
  return {
    phase: newer,
    existed: old.existed || status === 'Already exists',
    downloadedBytes: downloading ? Math.max(old.downloadedBytes, current ?? 0) : old.downloadedBytes,
    totalBytes: downloading && total !== undefined && total > 0 ? total : old.totalBytes,
    extracted: Math.max(old.extracted, extracted),
  };
}

function doneOf(layer: Layer): number {
  const reached = phases.indexOf(layer.phase);
  if (layer.phase === 'done') return 1;
  if (reached >= phases.indexOf('downloaded')) return downloadShare + (1 - downloadShare) * layer.extracted;
  if (layer.totalBytes === null) return 0;
  return downloadShare * Math.min(1, layer.downloadedBytes / layer.totalBytes);
}

/** Weighted by bytes; unknown sizes count as the average. */
function fractionOf(layers: readonly Layer[]): number | null {
  const coming = layers.filter((layer) => !layer.existed);
  if (layers.length === 0) return null;
  const known = coming.flatMap((layer) => layer.totalBytes ?? []);
  const average = known.length === 0 ? 1 : known.reduce((sum, bytes) => sum + bytes, 0) / known.length;
  const weights = coming.map((layer) => layer.totalBytes ?? average);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  if (all === 0) return almost;
  const done = coming.reduce((sum, layer, index) => sum + doneOf(layer) * (weights[index] ?? 0), 0);
  return Math.min(almost, done / all);
}

/**
 * Adds an event to the state. Events may be unordered and totals may change; `fraction` never decreases. Statuses:
 * Docker Engine API "ImageCreate", moby's distribution package.
 */
export function mergePullEvent(state: PullState, event: EngineEvent): PullState {
  const status = event.status ?? '';
  const digest = /^Digest: (sha256:[0-9a-f]{64})$/.exec(status)?.[1] ?? state.digest;
  const phase = Object.hasOwn(phaseOf, status) ? phaseOf[status] : undefined;
  if (event.id === undefined || phase === undefined) return { ...state, digest };
  const layers = new Map(state.layers);
  layers.set(event.id, mergeLayer(layers.get(event.id) ?? unknownLayer, status, phase, event));
  const fraction = fractionOf([...layers.values()]);
  return {
    layers,
    digest,
    fraction: fraction === null ? state.fraction : Math.max(state.fraction ?? 0, fraction),
  };
}

const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024);

/** "Downloading, 120 of 480 MiB", "Unpacking, 3 of 8 layers". */
export function pullProgress(state: PullState): WorkProgress {
  const { fraction } = state;
  const coming = [...state.layers.values()].filter((layer) => !layer.existed);
  const before = coming.filter((layer) => phases.indexOf(layer.phase) < phases.indexOf('downloaded'));
  if (coming.length === 0) return { fraction, text: 'Contacting the registry' };
  if (before.length === 0) {
    const done = coming.filter((layer) => layer.phase === 'done').length;
    return { fraction, text: `Unpacking, ${done} of ${coming.length} layers` };
  }
  const totals = coming.reduce((sum, layer) => sum + (layer.totalBytes ?? 0), 0);
  const bytes = coming.reduce(
    (sum, layer) =>
      sum + (before.includes(layer) ? layer.downloadedBytes : (layer.totalBytes ?? layer.downloadedBytes)),
    0,
  );
  const complete = before.every((layer) => layer.totalBytes !== null);
  const of = complete ? ` of ${mebibytes(Math.max(totals, bytes))}` : '';
  return { fraction, text: `Downloading, ${mebibytes(bytes)}${of} MiB` };
}
