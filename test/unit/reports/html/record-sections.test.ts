import { expect, it } from 'vitest';
import {
  environmentSection,
  parametersSection,
  stepsSection,
} from '../../../../main/reports/html/record-sections';
import { toReport } from '../../../../main/reports/to-report';
import { reportKinds } from '../../../support/report-kinds';
import { completeState } from '../../../support/run-state';

const report = toReport(completeState(), { generatedAt: '2025-11-21T08:30:00.000Z' });

it('has what is missing for one reason in one row', () => {
  const missing = 'missing: the folder has no model card (README.md)';
  const record = [
    { name: 'License', value: missing },
    { name: 'Weights', value: 'model.safetensors' },
    { name: 'Tags', value: missing },
  ];
  const { text } = environmentSection({ ...report, record });
  expect(text).toContain(`<td class="soft">License, Tags</td><td>${missing}</td>`);
  expect(text.split(missing)).toHaveLength(2);
  expect(text).toContain('<td class="soft">Weights</td><td>model.safetensors</td>');
});

it('has the end of a long path, and the whole at the pointer; a short one breaks after its slashes', () => {
  const value = '/data/pipelines/whisper-ff48b4dcf494/models/whisper';
  const row = { name: 'Model', field: 'model.path', value, upstream: [], folded: false };
  const textOf = (path: string): string =>
    parametersSection({ ...report, parameters: [{ title: 'Model', rows: [{ ...row, value: path }] }] })
      ?.text ?? '';
  const text = textOf(value);
  expect(text).toContain(`<span title="${value}">`);
  expect(text.replaceAll('<wbr>', '')).toContain('>…/models/whisper</span>');
  expect(textOf('/data/tabular/model.onnx')).toContain('<td>/<wbr>data/<wbr>tabular/<wbr>model.onnx</td>');
});

it('has ten of many inputs, and how many more the JSON file has', () => {
  const many = toReport(reportKinds.manyInputs(), { generatedAt: '2025-11-21T08:30:00.000Z' });
  const text = stepsSection(many)?.text ?? '';
  // In two steps.
  expect(text.split('document_id_sim_categories_')).toHaveLength(1 + 2 * 10);
  expect(text.split('<dt>Input</dt><dd>35 more, in report.json</dd>')).toHaveLength(1 + 2);
});
