import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { Core } from '../../../../main/core';
import { programWith } from '../../../support/cli-program';

it('reads the logo of a report before it changes the run', async () => {
  const changed: string[] = [];
  const change = (what: string) => () => {
    changed.push(what);
    return Promise.resolve([]);
  };
  const core = {
    handlers: {
      'runs.all': () => Promise.resolve({ runs: [{ runId: 'a', name: null }], unreadable: [] }),
      'reports.checkLogo': ({ path }: { readonly path: string }) =>
        path === 'a.png'
          ? Promise.resolve(null)
          : Promise.reject(new WorkbenchError('input-invalid', 'The logo is not used')),
      'runs.setBudget': change('budget'),
      'runs.writeReports': change('reports'),
    },
  } as unknown as Core;
  const report = (logo: string) =>
    programWith({ core: () => Promise.resolve(core) }).parseAsync(
      ['report', 'a', '--p99-budget-ms', '20', '--logo', logo],
      { from: 'user' },
    );
  await expect(report('a.txt')).rejects.toMatchObject({ code: 'input-invalid' });
  expect(changed).toEqual([]);
  await report('a.png');
  expect(changed).toEqual(['budget', 'reports']);
});
