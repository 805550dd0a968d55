import { reasonsOf } from '../../main/contract/flag-text';
import type { LoadPoint } from '../../main/contract/results';
import type { RunStatus, StepStatus } from '../../main/contract/run-state';
import type { Format, LoadTool, Precision, Profile } from '../../main/contract/run-spec';

export const runStatusText: Readonly<Record<RunStatus, string>> = {
  created: 'Not started',
  running: 'Running',
  interrupted: 'Interrupted',
  done: 'Done',
  failed: 'Failed',
  'gate-failed': 'Accuracy gate not passed',
  cancelled: 'Cancelled',
  paused: 'Paused',
};

export const stepStatusText: Readonly<Record<StepStatus, string>> = {
  waiting: 'Waiting',
  running: 'Running',
  done: 'Done',
  skipped: 'Skipped',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export const formatText: Readonly<Record<Format, string>> = {
  onnx: 'ONNX',
  'ts-trace': 'TorchScript, traced',
  'ts-script': 'TorchScript, scripted',
  'tf-savedmodel': 'TensorFlow SavedModel',
  trt: 'TensorRT plan',
};

export const precisionText: Readonly<Record<Precision, string>> = { fp32: 'FP32', fp16: 'FP16' };

export const profileText: Readonly<Record<Profile, string>> = { quick: 'Quick', full: 'Full' };

export const loadToolText: Readonly<Record<LoadTool, string>> = {
  native: 'Native generator',
  perf_analyzer: 'perf_analyzer',
};

/** With a full stop, so that another sentence can follow. */
export const asSentence = (text: string): string => (text === '' || /[.!?]$/.test(text) ? text : `${text}.`);

/** What is in doubt about a level; null for one without a doubt. */
export function doubtsText(point: LoadPoint): string | null {
  const reasons = reasonsOf(point);
  return reasons.length === 0 ? null : reasons.join(' ');
}
