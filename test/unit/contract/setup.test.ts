import { describe, expect, it } from 'vitest';
import { costText, inOrderOfNeed, withDependents } from '../../../main/contract/setup';

describe('components of the set-up', () => {
  it('are installed with what they need, in the order of need', () => {
    expect(inOrderOfNeed(['perf-analyzer', 'triton'], () => false)).toEqual([
      'python',
      'triton',
      'perf-analyzer',
    ]);
    expect(inOrderOfNeed(['tensorflow'], (id) => id === 'python')).toEqual(['tensorflow']);
    expect(inOrderOfNeed(['triton'], () => true)).toEqual([]);
  });

  it('are removed with what was made from them, the last first', () => {
    expect(withDependents(['python'])).toEqual([
      'trees',
      'transformers',
      'tensorflow',
      'perf-analyzer',
      'triton',
      'python',
    ]);
    expect(withDependents(['triton'])).toEqual(['triton']);
  });

  it('say what they take', () => {
    expect(costText('triton')).toBe('no download, 2.9 MiB on disk, about 2 s');
    expect(costText('python')).toBe(
      'download 305.2 MiB to 2.7 GiB, 1.2 GiB to 5.0 GiB on disk, about 1 min to 5 min (more where PyTorch comes with CUDA)',
    );
    expect(costText('tensorflow')).toContain('about 2 min');
  });
});
