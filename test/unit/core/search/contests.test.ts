import { expect, it } from 'vitest';
import type { RunSpec } from '../../../../main/contract/run/run-spec';
import { onHost, requireBeside } from '../../../../main/core/search/contests';
import { specFixture } from '../../../support/run-state';

const runWith = (engine: RunSpec['engine']) => ({
  runId: 'a-run',
  source: { spec: { ...specFixture(), engine } },
});
const docker = { kind: 'docker' as const, gpus: ['0'], shmSizeMiB: 64 };

it('serves a run on a host with the engine that it has, and refuses another with the reason', () => {
  const { engine } = onHost(runWith(docker), 'gpu1').source.spec;
  expect(engine).toEqual({ ...docker, host: 'gpu1' });
  expect(onHost(runWith({ ...docker, host: 'gpu2' }), 'gpu1').source.spec.engine).toEqual(engine);
  for (const other of [{ kind: 'local' as const }, { kind: 'slurm' as const }]) {
    expect(() => onHost(runWith(other), 'gpu1')).toThrow(
      expect.objectContaining({ code: 'combination-unsupported', where: '--host' }) as Error,
    );
  }
});

it('serves side by side where it starts Triton itself, here or on a host', () => {
  for (const engine of [{ kind: 'local' as const }, docker, { ...docker, host: 'gpu1' }]) {
    expect(() => requireBeside(runWith(engine))).not.toThrow();
  }
  expect(() => requireBeside(runWith({ kind: 'slurm' }))).toThrow(
    'The engine "slurm" does not serve configurations side by side',
  );
});
