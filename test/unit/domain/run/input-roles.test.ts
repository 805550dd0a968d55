import { expect, it } from 'vitest';
import { inputRole } from '../../../../main/domain/run/input-roles';

const roleOf = (name: string, datatype = 'INT64', rank = 1) => inputRole({ name, datatype, rank });

it.each([
  ...[
    'attention_mask',
    'ATTENTION_MASK__1',
    'attentionMask',
    'encoder_attention_mask',
    'input_mask',
    'mask',
  ].map((name) => [name, 'mask']),
  ...['token_type_ids', 'segment_ids', 'token_type'].map((name) => [name, 'segment']),
  ...['position_ids', 'positionIds', 'pos_ids'].map((name) => [name, 'position']),
  ...['input_lengths', 'inputLengths', 'length', 'x_len', 'seqlens'].map((name) => [name, 'length']),
  ...['input_ids', 'values', 'masked_lm_labels', 'unmasked', 'position', 'lengthwise', 'latent'].map(
    (name) => [name, null],
  ),
])('%s is %s', (name, role) => {
  expect(roleOf(name ?? '')).toBe(role);
});

it('is of integers only, but for masks of truth values and of rows of floats', () => {
  expect(roleOf('attention_mask', 'BOOL', 3)).toBe('mask');
  expect(roleOf('attention_mask', 'FP32', 1)).toBe('mask');
  expect(roleOf('mask', 'FP32', 3)).toBeNull();
  expect(roleOf('length', 'FP32')).toBeNull();
  expect(roleOf('attention_mask', 'BYTES')).toBeNull();
});
