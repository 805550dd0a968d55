import { describe, expect, it } from 'vitest';
import type { RunSpec } from '../../../../main/contract/run/run-spec';
import { lengthFindings } from '../../../../main/domain/run/length-rules';
import { specFixture } from '../../../support/run-state';
import { textSource } from '../../../support/text-source';

const findings = (
  performance: Partial<RunSpec['performance']>,
  model: Partial<RunSpec['model']> = { source: textSource() },
) =>
  lengthFindings(
    specFixture((spec) => {
      Object.assign(spec.model, model);
      Object.assign(spec.performance, { inputData: 'dataset', batchSizes: [1], ...performance });
    }),
  ).map(({ severity, message }) => `${severity}: ${message}`);

describe('lengths of texts', () => {
  it('are those of a folder that is served as tensors', () => {
    expect(findings({})).toEqual([]);
    expect(findings({ lengthDistribution: '16,32,64' })).toEqual([]);
    for (const model of [{}, { source: { ...textSource(), huggingFace: undefined } }]) {
      const [found] = findings({ lengthDistribution: '16,32,64' }, model);
      expect(found).toContain('problem: Lengths apply only to the texts of a Hugging Face folder');
    }
    expect(findings({ lengthDistribution: '16,32,64', inputData: 'random' })[0]).toContain('"random"');
  });

  it('are at most the maximum of the model, and beyond the compared lengths a warning', () => {
    expect(findings({ lengthDistribution: '16,32,65' })).toEqual([
      'warning: Texts of up to 65 tokens are measured, but outputs are compared only up to 64 tokens',
    ]);
    expect(findings({ lengthDistribution: '128' })).toHaveLength(1);
    expect(findings({ lengthDistribution: '12 129' })).toEqual([
      'problem: Texts of 129 tokens are longer than the maximum of the model, 128',
    ]);
    const endless = { source: textSource({ most: undefined, longest: 4096 }) };
    expect(findings({ lengthDistribution: '12 129' }, endless)).toEqual([]);
    expect(findings({ lengthDistribution: '100000,500000,1000000' }, endless)[0]).toContain('that are sent');
  });

  it('are in ascending order, and of a data set only with one', () => {
    expect(findings({ lengthDistribution: '32,16,64' })[0]).toContain('not in ascending order');
    expect(findings({ lengthDistribution: 'dataset' })).toEqual([
      'problem: Generated samples do not have the lengths of your texts',
    ]);
    const model = { source: textSource(), dataset: '/data/samples.npz' };
    expect(findings({ lengthDistribution: 'dataset' }, model)).toEqual([]);
  });

  it('are padded to batches by the built-in load generator only', () => {
    const refused = ['problem: perf_analyzer does not pad samples of different lengths to one batch'];
    const asked = { lengthDistribution: '16,32,64', loadTool: 'perf_analyzer' as const };
    expect(findings(asked)).toEqual([]);
    expect(findings({ ...asked, batchSizes: [1, 4] })).toEqual(refused);
    expect(findings({ ...asked, onlineBatchSize: 2 })).toEqual(refused);
    expect(findings({ ...asked, loadTool: 'native', crossCheck: true, batchSizes: [4] })).toEqual(refused);
    expect(findings({ ...asked, loadTool: 'native', batchSizes: [4] })).toEqual([]);
    expect(findings({ ...asked, lengthDistribution: '64', batchSizes: [4] })).toEqual([]);
  });
});
