import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchAnswer } from '../../main/domain/study/search/search-answer';
import { cli } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { createTestHome, type TestHome } from '../support/home';
import { littleModel } from '../support/little-model';

const engine = await readTestEngine();

describe.skipIf(engine === null)('a search with the engine docker', () => {
  let home: TestHome;
  beforeAll(async () => {
    home = await createTestHome();
  });
  afterAll(() => home.remove());

  it('serves its configurations side by side in one container, and measures them at its published ports', async () => {
    const ran = await cli(
      home.path,
      ...['run', 'resnet50', '--profile', 'quick', '--engine', 'docker', '--name', 'little', ...littleModel],
      ...[
        '--batch-sizes',
        '1',
        '--concurrency',
        '1',
        '--measurement-interval-ms',
        '200',
        '--max-trials',
        '3',
      ],
      ...['--stability-percentage', '1000', '--set', 'configure.maxQueueDelayUs=60000'],
      ...['--set', 'configure.preferredBatchSizes=[]'],
    );
    expect(ran.code, ran.stderr).toBe(0);
    const { code, stdout, stderr } = await cli(
      home.path,
      ...['search', 'little', '--name', 'boxed', '--p99', '2s', '--load', 'closed', '--concurrency', '4'],
      ...['--instances', '1', '--batching', 'dynamic', '--queue-delays-us', '0', '--threads', '1'],
      ...['--budget', '12s', '--json'],
    );
    expect(code, stderr).toBe(0);
    const { answer } = JSON.parse(stdout) as { readonly answer: SearchAnswer };
    expect(answer.rows.every(({ looks, reason }) => looks > 0 && reason === null)).toBe(true);
    // The present one waits 60 ms; the other does not.
    expect(answer.winner?.candidate).toBe(2);
    expect(await readdir(join(home.path, 'studies', 'boxed', 'work'))).not.toContain('repository');
  });
});
