import { describe, expect, it } from 'vitest';
import type { AnalyzerRun } from '../../../../main/contract/study/analyzer-config';
import { repositoryModel } from '../../../../main/specification/analyzer/model-of';
import { readAnalyzerConfig } from '../../../../main/specification/analyzer/read-analyzer-config';

const modelOf = (text: string, model: string | null = null) =>
  repositoryModel({ text, fileName: 'config.yaml', model });

describe('the model of a configuration of Model Analyzer', () => {
  it('is the only one of its repository, or the one that is named', () => {
    expect(modelOf('model_repository: models\nprofile_models: wide\n')).toEqual({
      ...{ model: 'wide', repository: 'models' },
    });
    const two = 'model_repository: /srv/models\nprofile_models:\n  - wide\n  - deep: {cpu_only: true}\n';
    expect(modelOf(two, 'deep')).toEqual({ model: 'deep', repository: '/srv/models' });
  });

  it.each([
    ['profile_models: wide\n', null, /names no model repository/],
    ['model_repository: 3\nprofile_models: wide\n', null, /line 1.*is not a folder/s],
    ['model_repository: models\n', null, /names no model to profile/],
    ['model_repository: models\nprofile_models: [wide, deep]\n', null, /the models .*wide.*deep/s],
    ['model_repository: models\nprofile_models: [wide]\n', 'deep', /none is called "deep"/],
    ['model_repository: models\nprofile_models: ["../wide"]\n', null, /is not the name of a model/],
    ['model_repository: models\nprofile_models: [".."]\n', null, /is not the name of a model/],
  ])('is refused of %j', (text, model, message) => {
    try {
      modelOf(text, model);
    } catch (error) {
      const { code, where = '', message: said } = error as { code: string; where?: string; message: string };
      expect(code).toBe('input-invalid');
      expect(`${where}: ${said}`).toMatch(message);
      return;
    }
    throw new Error('It was read');
  });

  it('is said to be read from there where no run is named', () => {
    const run: AnalyzerRun = {
      ...{ modelName: 'wide', onGpu: false, protocol: 'grpc', isOfRepository: true },
      present: {
        ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
        ...{ maxQueueDelayUs: 0, threads: 1 },
      },
    };
    const text = 'model_repository: models\nprofile_models: [wide, deep]\n';
    const { taken, left } = readAnalyzerConfig({ text, fileName: 'config.yaml', run, model: null });
    expect(taken).toEqual([
      { line: 1, option: 'model_repository', text: 'the model is read from there' },
      { line: 2, option: 'profile_models', text: 'read from the model repository' },
    ]);
    expect(left).toEqual([
      {
        line: 2,
        option: 'profile_models',
        text: 'deep: a file with the rate of each model searches several together',
      },
    ]);
  });
});
