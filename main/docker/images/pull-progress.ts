import type { EngineEvent } from './engine-stream';
import type { WorkProgress } from './known-images';

/** In the order that a layer goes through; a layer never goes back, in whatever order its events arrive. */
const phases = ['known', 'downloading', 'downloaded', 'extracting', 'done'] as const;
type Phase = (typeof phases)[number];

interface Layer {
  readonly phase: Phase;
  /** It was on this machine before: it weighs nothing. */
  readonly existed: boolean;
  readonly downloadedBytes: number;
  /** null while the engine does not say. */
  readonly totalBytes: number | null;
  /** 0 to 1. */
  readonly extracted: number;
}

export interface PullState {
  readonly layers: ReadonlyMap<string, Layer>;
  /** Highest so far; null while nothing is known. */
  readonly fraction: number | null;
  /** "sha256:…" of the manifest, as soon as the engine says it. */
  readonly digest: string | null;
}

/** Share of a layer's work that its download is; the rest is unpacking. An estimate: it shapes the bar alone. */
const downloadShare = 0.75;
/** A pull is whole only when its answer has ended. */
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
  // With containerd's image store, "Extracting" counts seconds and has no total.
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

/** Layers weigh by their bytes; one whose size is not known weighs as much as the known ones on average. */
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
 * Takes one event of the engine's answer into the state. Pure. Events may come in any order and totals may change;
 * `fraction` never falls. Statuses as in the Docker Engine API's "ImageCreate" and moby's distribution package.
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

/** The state in words: "Downloading, 120 of 480 MiB", "Unpacking, 3 of 8 layers". Pure. */
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
