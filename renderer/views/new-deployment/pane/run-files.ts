import { formatFacts } from '../../../../main/contract/run/model-formats';
import type { RunSpec } from '../../../../main/contract/run/run-spec';
import { backendsOf } from '../../../../main/contract/run/serving';

/** What the run's folder will hold, by path below it. */
export function runFiles(spec: RunSpec): readonly { readonly path: string; readonly what: string }[] {
  const { modelName, modelVersion } = spec.configure;
  const { fileName } = formatFacts[spec.format];
  const repository = `steps/configure/model-repository/${modelName}`;
  const version = `${repository}/${modelVersion}`;
  return [
    { path: 'run.yaml', what: 'the specification' },
    { path: 'journal.jsonl', what: 'every event, line by line' },
    { path: `${repository}/config.pbtxt`, what: 'how Triton serves the model' },
    { path: `${version}/${fileName}`, what: 'the model' },
    ...(spec.format === 'trt'
      ? [{ path: `${version}/${fileName}.json`, what: 'versions that the plan was built with' }]
      : []),
    ...(backendsOf(spec.engine) === 'python'
      ? [{ path: `${version}/model.py`, what: 'serves it in the Python backend' }]
      : []),
    { path: 'steps/<step>/step.log', what: 'log of each step' },
    { path: 'results/', what: 'report as HTML, PDF, CSV and JSON' },
  ];
}
