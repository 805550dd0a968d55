import { expect, it } from 'vitest';
import { runIdOfAddress } from '../../../main/contract/opened';

const runId = '20261125-165246-resnet50-onnx-fp32-9a424c';

it.each([`triton-workbench://run/${runId}`, `triton-workbench://run/${runId}/`])('%s names a run', (text) => {
  expect(runIdOfAddress(text)).toBe(runId);
});

it.each([
  '',
  'triton-workbench:',
  'triton-workbench://run/',
  'triton-workbench://run/..',
  'triton-workbench://run/.hidden',
  'triton-workbench://run/a/b',
  'triton-workbench://run/%2e%2e%2fetc',
  'triton-workbench://run/a b',
  'triton-workbench://run/a?x=1',
  'triton-workbench://run/a#x',
  `triton-workbench://run/${'a'.repeat(201)}`,
  'triton-workbench://user@run/a',
  'triton-workbench://settings/a',
  'TRITON-WORKBENCH://run/a\n',
  'https://run/a',
])('%j names none', (text) => {
  expect(runIdOfAddress(text)).toBeNull();
});
