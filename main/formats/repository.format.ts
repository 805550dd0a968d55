import { formatFacts } from '../contract/run/model-formats';
import type { ModelFormat } from './format';

/** Files and configuration are the repository's own, so nothing is written for a backend. */
export const repositoryFormat: ModelFormat = {
  id: 'repository',
  ...formatFacts.repository,
  convertsFrom: ['repository'],
  servedBy: ({ accelerator }) =>
    accelerator === 'none'
      ? { ok: true, serving: 'native' }
      : {
          ok: false,
          reason: 'A repository is served as it is, with the accelerators of its config.pbtxt',
          remedy: 'Set the backend accelerator to "none", or write it into config.pbtxt.',
        },
  configPart: () => ({}),
};
