import { describe, expect, it } from 'vitest';
import { repairConfigPbtxt } from '../../../../main/triton/config/config-repair';

describe('repairConfigPbtxt', () => {
  it.each([
    ['name: “a” # “kept”\n', 'name: "a" # "kept"\n', 1],
    ['name: ‘a’\nmax_batch_sise: 4', "name: 'a'\nmax_batch_size: 4", 2],
    ['input { dims: [ 1, 2, ] data_type: TYPE_FLOAT }', 'input { dims: [ 1, 2 ] data_type: TYPE_FP32 }', 2],
    ['input { dims: [ –1 ] }', 'input { dims: [ -1 ] }', 1],
    ['max_batch_size:\u00a08', 'max_batch_size: 8', 1],
    ['name: "a"', 'name: "a"', 0],
  ])('corrects %j', (text, wanted, complaints) => {
    const repair = repairConfigPbtxt(text);
    expect(repair.text).toBe(wanted);
    expect(repair.complaints).toHaveLength(complaints);
  });

  it.each(['max_batch_size = 8', 'input {', 'nonsense_field_of_nobody: 1', '{"name": "a"}'])(
    'leaves %j, which has no single correction',
    (text) => {
      const { text: repaired, complaints } = repairConfigPbtxt(text);
      expect(repaired).toBeNull();
      expect(complaints.length).toBeGreaterThan(0);
    },
  );
});
