import { expect, it } from 'vitest';
import { runsAnswer } from '../../../../../renderer/views/runs/runs-answer';
import { runSummary } from '../../window-fixtures';

const titleOf = (preset: string): string => (preset === 'resnet50' ? 'ResNet-50 v1.5' : preset);
const old = runSummary({ runId: 'old', createdAt: '2025-11-20T08:00:00.000Z', name: 'nightly' });
const latest = runSummary({ runId: 'new' });

it('is that of the newest run, whatever the order', () => {
  const answer = {
    text: 'Latest run: ResNet-50 v1.5, 100.0 inferences/s at p99 9.00 ms (onnx fp16, quick)',
    tone: 'good',
  };
  expect(runsAnswer([old, latest], titleOf)).toEqual(answer);
  expect(runsAnswer([latest, old], titleOf)).toEqual(answer);
});

it('is doubtful where the run is', () => {
  const doubtful = { text: '', isSure: false, mark: '3 faster not steady' };
  const answer = runsAnswer([{ ...latest, answer: doubtful }], titleOf);
  expect(answer?.text).toMatch(/ms \(onnx fp16, quick, 3 faster not steady\)$/);
  expect(answer?.tone).toBe('warn');
});

it('is doubtful where the run did not end, and says how it is', () => {
  const answer = runsAnswer([{ ...latest, status: 'interrupted' }], titleOf);
  expect(answer?.text).toMatch(/ms \(onnx fp16, quick, interrupted\)$/);
  expect(answer?.tone).toBe('warn');
});

it('names what is running first', () => {
  const running = { ...old, status: 'running' } as const;
  expect(runsAnswer([latest, running], titleOf)).toEqual({ text: 'nightly is running', tone: 'info' });
  expect(runsAnswer([running, { ...latest, status: 'running' }], titleOf)?.text).toBe(
    'nightly is running, and 1 more',
  );
});

it('is the state of a run without a result, and of one that failed', () => {
  const none = { chosen: null, answer: null };
  expect(runsAnswer([{ ...latest, ...none, status: 'cancelled' }], titleOf)).toEqual({
    text: 'Latest run: ResNet-50 v1.5, cancelled',
    tone: 'dim',
  });
  expect(runsAnswer([{ ...latest, status: 'failed' }], titleOf)).toEqual({
    text: 'Latest run: ResNet-50 v1.5, failed',
    tone: 'bad',
  });
  expect(runsAnswer([], titleOf)).toBeNull();
});
