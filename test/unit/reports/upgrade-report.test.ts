import { expect, it } from 'vitest';
import { upgradeAnswer } from '../../../main/domain/study/upgrade/upgrade-answer';
import { defaultReportSettings as settings } from '../../../main/reports/report-settings';
import { upgradeFiles } from '../../../main/reports/upgrade-report';
import { differing, turns, upgraded, upgradeStrategy } from '../../support/upgraded';

const filesOf = (known = upgraded({ loadMs: 3100 }), looks = turns(8)) => {
  const upgrade = upgradeStrategy();
  return upgradeFiles({
    ...{ name: 'next', generatedAt: '2026-11-29T06:00:00.000Z', settings, upgrade },
    answer: upgradeAnswer(upgrade, known, { looks, failed: {} }),
  });
};
const contentOf = (files: ReturnType<typeof filesOf>, kind: string): string =>
  files.find((file) => file.kind === kind)?.content ?? '';

it('has the answer first in every format, then both sides, outputs and conditions', () => {
  const files = filesOf();
  expect(files.map(({ kind }) => kind)).toEqual(['html', 'csv', 'markdown', 'json', 'outputs']);
  const [html, markdown] = [contentOf(files, 'html'), contentOf(files, 'markdown')];
  for (const text of [html, markdown]) {
    expect(text).toContain('Ready to move: throughput');
    expect(text).toContain('loads 3.1 times slower');
    expect(text).toContain('release 26.07');
  }
  expect(html).toContain('p99&gt;1.1x');
  expect(markdown).toContain('p99\\>1.1x');
  expect(contentOf(files, 'csv').split('\n')[0]).toContain('load_ms');
  expect(contentOf(files, 'csv')).toContain('3100');
  expect(JSON.parse(contentOf(files, 'json'))).toMatchObject({ answer: { verdict: 'may-move' } });
});

it('has the output that differs, and no conditions where nothing was measured', () => {
  const files = filesOf({ ...upgraded({}, differing()), loads: [] }, []);
  expect(contentOf(files, 'markdown')).toContain(
    '**Do not move: output logits differs by 0.012 at batch 8.**',
  );
  expect(contentOf(files, 'outputs')).toMatch(/8,"logits","differs","0\.012"/);
  expect(contentOf(files, 'markdown')).not.toContain('## Under load');
});

it('has home folders as ~, whoever reads it', () => {
  const upgrade = upgradeStrategy();
  const [from, to] = upgrade.sides;
  const environment = '/data/ada/pytriton';
  const files = upgradeFiles({
    ...{ name: 'next', generatedAt: '2026-11-29T06:00:00.000Z', settings, homeFolder: '/data/ada' },
    upgrade: { ...upgrade, sides: [from, { ...to, title: environment, target: { environment } }] },
    answer: {
      ...upgradeAnswer(upgrade, upgraded({ loadMs: 3100 }), { looks: turns(8), failed: {} }),
      notes: [`${environment} has no ONNX Runtime`, '/home/grace/triton has one'],
    },
  });
  const text = files.map(({ content }) => content).join('\n');
  expect(text).not.toContain('/data/ada');
  expect(text).toContain('~/pytriton has no ONNX Runtime');
  expect(text).toContain('~/triton has one');
  expect(JSON.parse(contentOf(files, 'json'))).toMatchObject({
    upgrade: { sides: [{}, { target: { environment: '~/pytriton' } }] },
  });
});
