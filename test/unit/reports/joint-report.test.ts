import { expect, it } from 'vitest';
import { jointAnswer } from '../../../main/domain/study/joint/joint-answer';
import { jointCommands } from '../../../main/domain/study/joint/joint-study';
import { jointTries } from '../../../main/domain/study/joint/joint-tries';
import { jointFiles } from '../../../main/reports/joint-report';
import { defaultReportSettings as settings } from '../../../main/reports/report-settings';
import { joint, searchJoint } from '../../support/simulated-joint';
import { withoutMarks } from '../../support/unbroken';

const searched = searchJoint(joint, { fault: [6] });
const answer = jointAnswer(joint, searched);
const tries = jointTries(joint, searched).length;
const commands = jointCommands({ searched }, joint);
const about = { name: 'night', generatedAt: '2026-11-28T10:00:00.000Z', settings };
const configs = [
  { runId: 'resnet', present: 'count: 1\n', winner: 'count: 4\n' },
  { runId: 'bert', present: 'count: 2\n', winner: 'count: 2\n' },
];
const files = jointFiles({ ...about, joint, searched, answer, configs, commands });
const contentOf = (kind: string): string =>
  withoutMarks(files.find((file) => file.kind === kind)?.content ?? '');

it('has the answer, a row per model, the commands and what was not tried in each format', () => {
  expect(files.map(({ fileName }) => fileName)).toEqual([
    'search.html',
    'search.csv',
    'search.md',
    'search.json',
  ]);
  for (const kind of ['html', 'markdown', 'json']) expect(contentOf(kind)).toContain(answer.sentence);
  for (const kind of ['html', 'markdown']) {
    expect(contentOf(kind)).toContain('triton-workbench resume resnet --set configure.instances=4');
    expect(contentOf(kind)).toContain('Could not be measured: model instances 4 of bert (does not load)');
    expect(contentOf(kind)).toContain('Present configurations: 0.95 × the given rates');
    expect(contentOf(kind)).toContain('under load at the same time');
    expect(contentOf(kind)).toContain('Changes of config.pbtxt: resnet');
    expect(contentOf(kind)).not.toContain('Changes of config.pbtxt: bert');
    for (const line of ['- count: 1', '+ count: 4']) expect(contentOf(kind)).toContain(line);
    expect(contentOf(kind)).toContain('What was tried');
    expect(contentOf(kind)).toContain('resnet: model instances 4');
  }
  const [head, first, second, ...rest] = contentOf('csv').trimEnd().split('\r\n');
  expect(head).toContain('model');
  expect(first).toContain('resnet');
  expect(second).toContain('bert');
  expect(rest).toEqual([]);
  expect(JSON.parse(contentOf('json'))).toMatchObject({
    ...{ joint, commands, configs, answer: { factor: 2.53 } },
    tries: [{ text: 'present configurations', factor: 0.952 }, ...new Array<object>(tries - 1).fill({})],
  });
});
