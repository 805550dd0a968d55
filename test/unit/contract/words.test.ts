import { expect, it } from 'vitest';
import { allowanceText, loadToolText, metricTitle } from '../../../main/contract/words';

it.each([
  [undefined, null],
  [null, null],
  [0, '0 %'],
  [0.0004, '<1 %'],
  [0.35, '35 %'],
  [0.999, '100 %'],
  [1, '100 %'],
  [1.0001, '101 %'],
  [17.7, '1,770 %'],
])('a share of %s of the tolerance reads %s', (allowanceShare, text) => {
  expect(allowanceText({ allowanceShare })).toBe(text);
});

it('a load tool is named with its release where it says one', () => {
  expect(loadToolText({ loadTool: 'perf_analyzer', loadToolVersion: '2.50.0' })).toBe('perf_analyzer 2.50.0');
  expect(loadToolText({ loadTool: 'native' })).toBe('native');
});

it('a metric has the title of its preset, or that of the figure of labels', () => {
  expect(metricTitle({ accuracy: 'Mels in range' }, 'accuracy')).toBe('Mels in range');
  expect(metricTitle({ top1: 'Top-1' }, 'macro-f1')).toBe('Macro F1');
  expect([metricTitle({}, 'dice'), metricTitle({}, 'constructor')]).toEqual(['dice', 'constructor']);
});
