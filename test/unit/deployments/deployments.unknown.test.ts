import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Core } from '../../../main/core';
import { DeploymentStore } from '../../../main/deployments/deployment-store';
import { rejection } from '../../support/rejection';
import { createTestCore } from '../../support/test-core';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-unknown-'));
  core = await createTestCore(home);
});
afterEach(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

it.each(['deployments.rollback', 'deployments.stop', 'deployments.restart', 'deployments.start'] as const)(
  '%s of a deployment that is not there begins nothing, and names the similar one',
  async (call) => {
    const engine = { kind: 'local' as const, framework: 'pyt' as const };
    const ports = { http: 1, grpc: 2, metrics: 3 };
    await new DeploymentStore(join(home, 'deployments')).create({
      ...{ type: 'deployment-created', id: 'vision', engine, ports },
    });
    const begun: unknown[] = [];
    core.subscribe((event) => {
      if (event.type === 'deployments-changed' && event.work !== null) begun.push(event);
    });
    expect(await rejection(core.handlers[call]({ id: 'vison' }))).toMatchObject({
      code: 'deployment-unknown',
      message: 'Unknown deployment "vison" (Did you mean vision?)',
    });
    expect(begun).toEqual([]);
  },
);
